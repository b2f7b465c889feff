/** What a token says about its bearer (§3), and for how long. */
import { z } from 'zod';
import type { Participant } from '../../protocol/envelope.ts';
import { hasIdShape } from '../../protocol/ids.ts';

/** `aud` of every token. */
export const AUDIENCE = 'lineup';

const registered = {
  iss: z.string(),
  aud: z.literal(AUDIENCE),
  jti: z.string().min(1),
  /** Seconds since 1970, as JWT has it. */
  iat: z.number().int(),
  exp: z.number().int(),
};
const agentId = z.string().refine((text) => hasIdShape('ag', text));
const deviceId = z.string().refine((text) => hasIdShape('dv', text));

/** The claims of an agent's token and of a device's. `gen` is the agent's token generation: raising it ends all older tokens. */
export const claims = z.discriminatedUnion('role', [
  z.object({ ...registered, role: z.literal('agent'), sub: agentId, gen: z.number().int().min(0) }),
  z.object({ ...registered, role: z.literal('app'), sub: deviceId, aid: agentId }),
]);
export type Claims = z.infer<typeof claims>;

/** Whom a token is made for. */
export type TokenSubject = { role: 'agent'; sub: string; gen: number } | { role: 'app'; sub: string; aid: string };

/** How long a token lasts, in seconds: agents 90 days, devices 30 (§3). */
export const TOKEN_TTL_S = { agent: 90 * 86_400, app: 30 * 86_400 } as const;

/** The participant that a token speaks for. */
export function participantOf(token: Claims): Participant {
  return { kind: token.role, id: token.sub };
}

/** Whether a token is in the last third of its life, when a connecting participant receives a fresh one (§3). `now` in ms. */
export function isDueForRefresh(token: Pick<Claims, 'iat' | 'exp'>, now: number): boolean {
  return now / 1000 >= token.exp - (token.exp - token.iat) / 3;
}
