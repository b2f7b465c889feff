/** From a link or code that was read to the invitation that the user is asked about. */
import type { PairingInput } from '../../core/pairing.ts';

/** A code that waits for the user's word. */
export interface Invitation {
  code: string;
  /** The relay's origin. */
  relay: string;
  /** The conversation to begin with, in place of the agent's first. */
  conversationId?: string;
}

/** @param here the origin of the relay that is meant when the input names none */
export function invitationOf({ code, origin, conversationId }: Extract<PairingInput, { ok: true }>, here: string): Invitation {
  return { code, relay: origin ?? here, ...(conversationId !== undefined && { conversationId }) };
}
