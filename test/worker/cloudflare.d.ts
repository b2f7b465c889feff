/** What `env` and `exports` of `cloudflare:workers` are in these tests. */
import type { ConversationObject } from '../../src/worker/conversation-object.ts';
import type { DirectoryObject } from '../../src/worker/directory-object.ts';
import type { Env as WorkerEnv } from '../../src/worker/env.ts';

declare global {
  namespace Cloudflare {
    interface Env extends Omit<WorkerEnv, 'CONVERSATIONS' | 'DIRECTORY'> {
      CONVERSATIONS: DurableObjectNamespace<ConversationObject>;
      DIRECTORY: DurableObjectNamespace<DirectoryObject>;
    }
    interface GlobalProps {
      mainModule: typeof import('../../src/worker/index.ts');
      durableNamespaces: 'ConversationObject' | 'DirectoryObject';
    }
  }
}
