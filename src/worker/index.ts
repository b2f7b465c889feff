/** The Worker's entry: every request, sockets too, and the Durable Object classes. */
import { app } from './app.ts';
import { discardBody } from './discard-body.ts';
import type { Env } from './env.ts';
import { complete } from './response-headers.ts';
import { socket } from './routes/socket.ts';

export { ConversationObject } from './conversation-object.ts';
export { DirectoryObject } from './directory-object.ts';

app.route('/', socket);

export default {
  async fetch(request, env, ctx) {
    const answer = complete(await app.fetch(request, env, ctx));
    await discardBody(request);
    return answer;
  },
} satisfies ExportedHandler<Env>;
