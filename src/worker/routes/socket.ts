/** `GET /v1/conversations/:id/socket`: the way to the conversation's own sockets, or to a close code that a browser can read (§4). */
import { Hono } from 'hono';
import { hasIdShape } from '../../protocol/ids.ts';
import { admitToken } from '../auth/admit.ts';
import { socketOffer, SUBPROTOCOL } from '../auth/bearer.ts';
import { CONNECTION_HEADER, type Admission } from '../conversation-api.ts';
import { conversationRequest } from '../conversation-request.ts';
import type { Env } from '../env.ts';
import { logFailure } from '../log.ts';
import { askConversation, askDirectory } from '../stubs.ts';
import { closedSocket, waitingRoom } from '../waiting-room.ts';
import { refused, type RelayRoutes } from './answers.ts';

export const socket = new Hono<RelayRoutes>().get('/v1/conversations/:id/socket', async (c) => {
  const { env, req } = c;
  if (req.header('upgrade')?.toLowerCase() !== 'websocket') {
    return refused(c, { code: 'invalid_payload', message: 'upgrade: expected a WebSocket upgrade' });
  }
  const id = req.param('id');
  const offer = socketOffer(req.raw);
  const enter = async (admission: Admission | null): Promise<Response> => {
    const end = new AbortController();
    const request = () => conversationRequest(id, admission, '/socket', { headers: { upgrade: 'websocket' }, signal: end.signal });
    const answer = await askConversation(env, id, (conversation) => conversation.fetch(request()));
    const connection = answer.headers.get(CONNECTION_HEADER);
    if (connection !== null) c.executionCtx.waitUntil(endUnlessGreeted(env, id, connection, end));
    return answer.webSocket ? switched(answer.webSocket, offer.selectable) : answer;
  };

  if (offer.token !== undefined) {
    const admitted = await admitToken(env, offer.token, id);
    return admitted.ok ? await enter(admitted.admission) : switched(closedSocket(admitted.close), offer.selectable);
  }
  const known = hasIdShape('cv', id) && (await askDirectory(env, (directory) => directory.knows(id)));
  return known ? await enter(null) : switched(waitingRoom(env, id, c.var.limits), offer.selectable);
});

/**
 * Takes down the connection under a socket that was closed before its client ever sent a frame. The runtime would keep it until
 * the object sleeps, and a client that waits for its end would learn of the close only then.
 */
async function endUnlessGreeted(env: Env, id: string, connection: string, end: AbortController): Promise<void> {
  try {
    if (!(await env.CONVERSATIONS.getByName(id).saidHello(connection))) end.abort();
  } catch (error) {
    logFailure('hello_unknown', error);
  }
}

/** The answer that switches protocols. A subprotocol may be named only when it was offered. */
function switched(webSocket: WebSocket, selectable: boolean): Response {
  return new Response(null, { status: 101, webSocket, ...(selectable && { headers: { 'Sec-WebSocket-Protocol': SUBPROTOCOL } }) });
}
