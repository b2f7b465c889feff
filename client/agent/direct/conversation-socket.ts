/** `GET /v1/conversations/:id/socket` in direct mode (§4): a full client's way into a conversation, or a close that says why not. */
import type { WebSocket } from 'ws';
import { CLOSE_REASONS } from '../../../src/conversation/roster.ts';
import { CLOSE, type CloseCode } from '../../../src/protocol/close-codes.ts';
import { hasIdShape } from '../../../src/protocol/ids.ts';
import { HELLO_DEADLINE_MS } from '../../../src/protocol/limits.ts';
import { admitToken } from '../../../src/worker/auth/admit.ts';
import { judgeHello } from '../../../src/worker/auth/judge-hello.ts';
import type { Admission } from '../../../src/worker/conversation-api.ts';
import { knows } from '../../../src/worker/directory/admitting.ts';
import { onLeaving } from './client-socket.ts';
import type { DirectRelay } from './direct-relay.ts';
import { frameOf } from './frame-of.ts';
import { SocketCarrier } from './socket-carrier.ts';

/** Who stands before a conversation: let in, kept out, or with a token that is still to come. */
type Entry = { kind: 'in'; admission: Admission | null } | { kind: 'waiting' } | { kind: 'out'; close: CloseCode };

/** Decides what becomes of an upgrade, by the token that it brought. */
export async function judgeUpgrade({ env, registry }: DirectRelay, conversationId: string, token: string | undefined): Promise<Entry> {
  if (token !== undefined) {
    const admitted = await admitToken(env, token, conversationId);
    return admitted.ok ? { kind: 'in', admission: admitted.admission } : { kind: 'out', close: admitted.close };
  }
  const isKnown = hasIdShape('cv', conversationId) && (await knows(registry, conversationId));
  return isKnown ? { kind: 'in', admission: null } : { kind: 'waiting' };
}

/** Takes a socket that has just opened where it belongs. */
export function enter(relay: DirectRelay, conversationId: string, socket: WebSocket, entry: Entry): void {
  if (entry.kind === 'out') return closeWith(socket, entry.close);
  if (entry.kind === 'waiting') return wait(relay, conversationId, socket);
  const conversation = relay.conversation(conversationId);
  const barred = conversation.barredFrom(entry.admission);
  if (barred !== undefined) return closeWith(socket, barred);
  const carrier = new SocketCarrier(socket);
  const connection = conversation.open(carrier, entry.admission);
  const deadline = helloDeadline(() => {
    if (!connection.welcomed) conversation.conversation?.close(connection, CLOSE.helloTimeout);
  });
  socket.on('message', (data, isBinary) => {
    const frame = frameOf(data, isBinary);
    if (typeof frame === 'string' && carrier.answerPing(frame)) return;
    void conversation.conversation?.receive(connection, frame);
  });
  onLeaving(socket, () => {
    clearTimeout(deadline);
    conversation.conversation?.closed(connection);
  });
}

/** A socket to a conversation that is not there waits for its hello as in one that is. */
function wait({ env, limits, report }: DirectRelay, conversationId: string, socket: WebSocket): void {
  const deadline = helloDeadline(() => closeWith(socket, CLOSE.helloTimeout));
  const carrier = new SocketCarrier(socket);
  socket.once('close', () => clearTimeout(deadline));
  socket.on('message', function first(data, isBinary) {
    const frame = frameOf(data, isBinary);
    if (typeof frame === 'string' && carrier.answerPing(frame)) return;
    socket.off('message', first);
    judgeHello(env, conversationId, limits, frame).then((code) => closeWith(socket, code), report);
  });
}

function helloDeadline(passed: () => void): NodeJS.Timeout {
  return setTimeout(passed, HELLO_DEADLINE_MS);
}

/** Closes a socket with a code of §4. */
export function closeWith(socket: WebSocket, code: CloseCode): void {
  socket.close(code, CLOSE_REASONS[code]);
}
