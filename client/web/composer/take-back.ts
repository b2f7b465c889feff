/** A message that waits to be sent goes back into the field, to be written anew: as long as no socket was ever given it. */
import type { ChatDesk } from '../chat/chat-desk.ts';
import type { Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';
import type { ConversationStore } from '../store/conversation-store.ts';

/** Whether {@link takeBack} can do something with an entry. */
export function canTakeBack(store: ConversationStore, entry: Entry): boolean {
  return entry.mine && entry.type === 'text' && entry.seq === null && store.outgoing.isUntried(entry.id);
}

/** Takes a text out of the outbox and hands it, with what it answers, to the field. */
export function takeBack(store: ConversationStore, desk: ChatDesk, entry: Entry): void {
  if (!canTakeBack(store, entry)) return;
  const answered = textField(entry.payload, 'reply_to');
  const replyTo = store.view.get().entries.find(({ id }) => id === answered) ?? null;
  store.outgoing.discard(entry.id);
  desk.set({ takenBack: textField(entry.payload, 'content') ?? '', replyTo });
}
