/** What a file says about itself. */
import type { Participant } from '../../../src/protocol/envelope.ts';

export interface About {
  /** This device. */
  me: Participant;
  agent: { id: string; name: string };
  /** The relay's origin. */
  relay: string;
  conversation: { id: string; title: string | null };
  /** ISO 8601. */
  exportedAt: string;
}
