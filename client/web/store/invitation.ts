/** From a link or code that was read to the invitation that the user is asked about. */
import type { PairingInput } from '../../core/pairing.ts';
import type { Invitation } from './app-store.ts';

/** @param here the origin of the relay that is meant when the input names none */
export function invitationOf({ code, origin, conversationId }: Extract<PairingInput, { ok: true }>, here: string): Invitation {
  return { code, relay: origin ?? here, ...(conversationId !== undefined && { conversationId }) };
}
