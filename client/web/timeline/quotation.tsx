/** What a text answers, in one line; a tap leads there. */
import { useTranslation } from 'react-i18next';
import { useChatDesk } from '../chat/chat-desk.ts';
import type { Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';
import { useConversationPart } from '../parts/contexts.ts';
import { entryWords } from '../parts/entry-words.ts';

export function Quotation({ entry }: { entry: Entry }) {
  const id = textField(entry.payload, 'reply_to');
  return id === undefined ? null : <Quoted id={id} />;
}

function Quoted({ id }: { id: string }) {
  const { t } = useTranslation();
  const desk = useChatDesk();
  const agent = useConversationPart((view) => view.agent.name);
  const quoted = useConversationPart((view) => view.entries.find((entry) => entry.id === id));
  if (!quoted) return <p className="quotation remark">{t('reply.unknown')}</p>;
  return (
    <button type="button" className="quotation" onClick={() => desk.reveal(quoted.key)}>
      <b dir="auto">{quoted.mine ? t('reply.you') : agent}</b>
      <span dir="auto">{entryWords(quoted, t)}</span>
    </button>
  );
}
