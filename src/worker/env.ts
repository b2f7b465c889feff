/** The Worker's bindings and variables. */
import type { ConversationObject } from './conversation-object';
import type { DirectoryObject } from './directory-object';

/** Bindings of wrangler.toml, the owner's secret, and the optional `LINEUP_*` limits (read with `readLimits`). */
export interface Env {
  ASSETS: Fetcher;
  CONVERSATIONS: DurableObjectNamespace<ConversationObject>;
  DIRECTORY: DurableObjectNamespace<DirectoryObject>;
  /** The secret that enrols agents. Unset: enrolment answers 503 `not_configured`. */
  LINEUP_OWNER_KEY?: string;
}
