/** `GET /v1/conversations/:id/socket`: the way to the conversation's own sockets, or to a close code that a browser can read (§4). */
import { Hono } from 'hono';
import { hasIdShape } from '../../protocol/ids.ts';
import { admitToken } from '../auth/admit.ts';
import { socketOffer, SUBPROTOCOL } from '../auth/bearer.ts';
import type { Admission } from '../conversation-api.ts';
import { conversationRequest } from '../conversation-request.ts';
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
    const request = () => conversationRequest(id, admission, '/socket', { headers: { upgrade: 'websocket' } });
    const answer = await askConversation(env, id, (conversation) => conversation.fetch(request()));
    return answer.webSocket ? switched(answer.webSocket, offer.selectable) : answer;
  };

  if (offer.token !== undefined) {
    const admitted = await admitToken(env, offer.token, id);
    return admitted.ok ? await enter(admitted.admission) : switched(closedSocket(admitted.close), offer.selectable);
  }
  const known = hasIdShape('cv', id) && (await askDirectory(env, (directory) => directory.knows(id)));
  return known ? await enter(null) : switched(waitingRoom(env, id, c.var.limits), offer.selectable);
});

/** The answer that switches protocols. A subprotocol may be named only when it was offered. */
function switched(webSocket: WebSocket, selectable: boolean): Response {
  return new Response(null, { status: 101, webSocket, ...(selectable && { headers: { 'Sec-WebSocket-Protocol': SUBPROTOCOL } }) });
}
