/**
 * Sockets that never reach a conversation: those that are refused, and those that bring no token to a conversation that does not
 * exist. They look to the outside exactly like a conversation that waits for a token in hello, so nobody learns which ids exist,
 * and they make no storage.
 */
import { CLOSE_REASONS } from '../conversation/roster.ts';
import { CLOSE, type CloseCode } from '../protocol/close-codes.ts';
import { HELLO_DEADLINE_MS, type Limits } from '../protocol/limits.ts';
import { judgeHello } from './auth/judge-hello.ts';
import type { Env } from './env.ts';
import { logFailure } from './log.ts';

/** Any other code means the network to a client, which then tries again (§4). */
const TRY_AGAIN_LATER = 1013;

/** The client's end of a socket that is open just long enough to say why it closes: a browser cannot read a failed upgrade (§4). */
export function closedSocket(code: CloseCode): WebSocket {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.close(code, CLOSE_REASONS[code]);
  return client;
}

/** The client's end of a socket that waits for a hello and then says why it closes (§4). */
export function waitingRoom(env: Env, conversationId: string, limits: Limits): WebSocket {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  const leave = (code: number, reason: string): void => {
    clearTimeout(deadline);
    server.close(code, reason);
  };
  const deadline = setTimeout(() => leave(CLOSE.helloTimeout, CLOSE_REASONS[CLOSE.helloTimeout]), HELLO_DEADLINE_MS);
  server.addEventListener('close', () => clearTimeout(deadline));
  server.addEventListener('message', function first({ data }: MessageEvent) {
    if (data === 'ping') {
      server.send('pong');
      return;
    }
    server.removeEventListener('message', first);
    judgeHello(env, conversationId, limits, data).then(
      (code) => leave(code, CLOSE_REASONS[code]),
      (error: unknown) => {
        logFailure('waiting_room', error);
        leave(TRY_AGAIN_LATER, 'try again later');
      },
    );
  });
  return client;
}
