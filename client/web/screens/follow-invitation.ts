/** A code or link that was opened, typed or scanned: into the conversation that it is about, or to the question. */
import type { AppStore } from '../store/app-store.ts';
import type { Invitation } from '../store/invitation.ts';
import { conversationHref } from './route.ts';

export async function followInvitation(app: AppStore, invitation: Invitation): Promise<void> {
  const place = await app.invite(invitation);
  if (place !== null) location.replace(conversationHref(place));
}
