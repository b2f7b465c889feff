/** Says to a screen reader what comes in. The rows themselves cannot: they come and go with scrolling. */
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { useConversationPart } from '../parts/contexts.ts';
import { entryWords } from '../parts/entry-words.ts';

/** What needs the user is announced by the tray. */
function isAnnounced({ mine, seq, type }: Entry): boolean {
  return !mine && seq !== null && ['text', 'image', 'file', 'error'].includes(type);
}

/** Long enough to be taken up by a screen reader, in ms; after that the words are in the timeline alone. */
const SAID_MS = 1_000;

export function Announcer() {
  const { t } = useTranslation();
  const agent = useConversationPart((view) => view.agent.name);
  const ready = useConversationPart((view) => view.history.state === 'ready');
  const last = useConversationPart((view) => view.entries.findLast(isAnnounced));
  // What was there when the conversation was opened has been read, or will be.
  const before = useRef<number | null>(null);
  if (ready) before.current ??= last?.seq ?? 0;
  const isNew = before.current !== null && (last?.seq ?? 0) > before.current;
  const [said, setSaid] = useState<Entry | undefined>();
  useEffect(() => {
    const timer = setTimeout(() => setSaid(last), SAID_MS);
    return () => clearTimeout(timer);
  }, [last]);
  return (
    <p className="hidden-words" role="status">
      {isNew && last && last !== said && `${agent}: ${entryWords(last, t)}`}
    </p>
  );
}
