/** Everything that needs the user, one tap away however far up it is. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { CallCard } from '../cards/call-card.tsx';
import { decide } from '../model/tool-desk.ts';
import { useConversationPart } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { Sheet } from '../parts/sheet.tsx';

export function Tray() {
  const { t } = useTranslation();
  const open = useConversationPart((view) => view.open);
  const [shown, setShown] = useState(false);
  // What is being sent stays where it was tapped until it is taken, but needs nobody any more.
  const needing = open.filter((entry) => entry.call?.status === 'pending').length;
  const words = t('tray.needs', { count: needing });
  return (
    <>
      {needing > 0 && (
        <button type="button" className="tray" aria-haspopup="dialog" onClick={() => setShown(true)}>
          <span role="status">{words}</span>
          <Icon name="open" small />
        </button>
      )}
      <Sheet title={words} open={shown && open.length > 0} onClose={() => setShown(false)}>
        <div className="tray-cards">
          {open.map((entry) => {
            const decision = decide(entry.payload as Payloads['tool.call']);
            return decision.do === 'ask' && <CallCard key={entry.key} entry={entry} question={decision.question} />;
          })}
        </div>
      </Sheet>
    </>
  );
}
