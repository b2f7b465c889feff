/** What a scanned QR code is to us: the way to an agent, or something else. */
import { parsePairingInput } from '../../core/pairing.ts';
import { invitationOf, type Invitation } from '../store/invitation.ts';

/** `foreign`: nothing of ours. `insecure`: a pairing link to a stranger's address without encryption. */
export type Scanned = { ok: true; invitation: Invitation } | { ok: false; reason: 'foreign' | 'insecure' };

/** Reads the text of a QR code. Only a whole pairing link counts: eight characters alone may be on any parcel. */
export function readScan(text: string): Scanned {
  const input = parsePairingInput(text);
  if (input.ok && input.origin !== undefined) return { ok: true, invitation: invitationOf(input, input.origin) };
  return { ok: false, reason: !input.ok && input.reason === 'insecure' ? 'insecure' : 'foreign' };
}
