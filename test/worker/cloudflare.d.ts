/** What `env` and `exports` of `cloudflare:workers` are in these tests. */
import type { Env as WorkerEnv } from '../../src/worker/env.ts';

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {}
    interface GlobalProps {
      mainModule: typeof import('../../src/worker/index.ts');
      durableNamespaces: 'ConversationObject' | 'DirectoryObject';
    }
  }
}
