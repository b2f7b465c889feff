/** The Worker's entry: every request, and the Durable Object classes. */
import { app } from './app.ts';
import type { Env } from './env.ts';
import { complete } from './response-headers.ts';

export { ConversationObject } from './conversation-object.ts';
export { DirectoryObject } from './directory-object.ts';

export default {
  async fetch(request, env, ctx) {
    return complete(await app.fetch(request, env, ctx));
  },
} satisfies ExportedHandler<Env>;
