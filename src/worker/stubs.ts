/** How the Worker reaches its Durable Objects. */
import { DIRECTORY_NAME, type DirectoryApi } from './directory-api.ts';
import type { ConversationStub, Env } from './env.ts';

/** The directory, for calls that must not be made twice. */
export function directoryOf(env: Env): DirectoryApi {
  return env.DIRECTORY.getByName(DIRECTORY_NAME);
}

/** Asks the directory something that may be asked twice: once more when the platform says that helps. */
export async function askDirectory<T>(env: Env, ask: (directory: DirectoryApi) => Promise<T>): Promise<T> {
  return await twice(() => ask(directoryOf(env)));
}

/** {@link askDirectory} for a conversation. Its id must be one that the directory knows: a stub of any other would make an object. */
export async function askConversation<T>(env: Env, id: string, ask: (conversation: ConversationStub) => Promise<T>): Promise<T> {
  return await twice(() => ask(env.CONVERSATIONS.getByName(id)));
}

/** A stub is broken once a call on it has failed, so each attempt makes its own. */
async function twice<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isWorthRetrying(error)) throw error;
    return await attempt();
  }
}

/** The runtime marks its errors: an overloaded object only gets worse by being asked again. */
function isWorthRetrying(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'retryable') === true && Reflect.get(error, 'overloaded') !== true;
}
