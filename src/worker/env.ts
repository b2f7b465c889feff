/** What the routes reach for: the bindings and variables of the Worker, or what direct mode puts in their place. */
import type { ConversationApi } from './conversation-api.ts';
import type { DirectoryApi } from './directory-api.ts';

/** A conversation as its callers have it: its methods, and `fetch` for files and, in the Worker, upgrades. */
export type ConversationStub = ConversationApi & { fetch(request: Request): Promise<Response> };

/** Bindings of wrangler.toml, the owner's secret, and the optional `LINEUP_*` limits (read with `readLimits`). */
export interface Env {
  ASSETS: { fetch(request: Request): Promise<Response> };
  CONVERSATIONS: { getByName(conversationId: string): ConversationStub };
  DIRECTORY: { getByName(name: string): DirectoryApi };
  /** The secret that enrols agents. Unset: enrolment answers 503 `not_configured`. */
  LINEUP_OWNER_KEY?: string;
  /** The origin of another hostname of this Worker, for surfaces alone (docs/security.md). Unset: they share the app's. */
  LINEUP_SURFACE_ORIGIN?: string;
}
