/** The way in for a bearer: the token by itself, or the token and the conversation it is for. Sockets, HTTP calls and hellos share it. */
import type { CloseCode } from '../../protocol/close-codes.ts';
import { refuse, type Refusal, type Result } from '../../protocol/errors.ts';
import { hasIdShape } from '../../protocol/ids.ts';
import type { Admission } from '../conversation-api.ts';
import type { Env } from '../env.ts';
import { askDirectory } from '../stubs.ts';
import type { Claims } from './claims.ts';
import { DENIALS, type Denial } from './denial.ts';
import { knownRelay } from './relay-identity.ts';

/** Let in, or kept out: with the code that closes a socket (§4), and the status and error that HTTP answers (§3). */
export type AdmittedToken = { ok: true; admission: Admission } | { ok: false; close: CloseCode; status: 401 | 404; error: Refusal };

/** Reads a token without asking anyone: whether its bearer is still here is not decided by this. */
export async function readToken(env: Env, token: string | undefined): Promise<Result<Claims>> {
  if (token === undefined) return refuse('unauthorized', 'token: missing, send it as Authorization: Bearer');
  const { verify } = await knownRelay(env);
  return await verify(token, Date.now());
}

/** Decides whether the bearer of a token may enter a conversation (§3, §4). A conversation of somebody else is like none. */
export async function admitToken(env: Env, token: string | undefined, conversationId: string): Promise<AdmittedToken> {
  const read = await readToken(env, token);
  if (!read.ok) return denied('invalid', read.error);
  // What is no id is not looked up; but who was revoked is told so whatever they ask for.
  const id = hasIdShape('cv', conversationId) ? conversationId : null;
  const answer = await askDirectory(env, (directory) => directory.admit(read.value, id));
  return answer.ok ? answer : denied(answer.denial);
}

function denied(denial: Denial, error: Refusal = DENIALS[denial].error): AdmittedToken {
  const { close, status } = DENIALS[denial];
  return { ok: false, close, status, error };
}
