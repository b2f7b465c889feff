/** The hello of a socket whose conversation is not there: it is judged as in one that is, so that nobody learns which ids exist. */
import { CLOSE, type CloseCode } from '../../protocol/close-codes.ts';
import { readFrame } from '../../protocol/envelope.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Env } from '../env.ts';
import { admitToken } from './admit.ts';

/** The code with which a socket to a conversation that is not there ends, once its first frame came. */
export async function judgeHello(env: Env, conversationId: string, limits: Limits, frame: unknown): Promise<CloseCode> {
  const read = typeof frame === 'string' ? readFrame(frame, { conversationId, from: 'app', limits }) : undefined;
  if (!read?.ok || read.value.envelope.type !== 'system.hello') return CLOSE.handshake;
  const { token } = read.value.envelope.payload;
  if (typeof token !== 'string') return CLOSE.unauthorized;
  const admitted = await admitToken(env, token, conversationId);
  // It may have been made while the hello was on its way: then a second try finds it.
  return admitted.ok ? CLOSE.helloTimeout : admitted.close;
}
