/** Everything that needs the user, one tap away however far up it is. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { AppCallEntry } from '../capabilities/app-call-entry.tsx';
import { CallCard } from '../cards/call-card.tsx';
import { decide } from '../model/tool-desk.ts';
import { useConversationPart } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { Sheet } from '../parts/sheet.tsx';

const WaitingSurface = lazy(() => import('../surfaces/waiting-surface.tsx'));

export function Tray() {
  const { t } = useTranslation();
  const needs = useConversationPart((view) => view.needs);
  const open = useConversationPart((view) => view.open);
  const [shown, setShown] = useState(false);
  const close = () => setShown(false);
  const words = t('tray.needs', { count: needs.length });
  // What is being sent stays where it was tapped until it is taken, but needs nobody any more.
  const empty = needs.length === 0 && open.length === 0;
  useEffect(() => {
    if (empty) setShown(false);
  }, [empty]);
  return (
    <>
      {needs.length > 0 && (
        <button type="button" className="tray" aria-haspopup="dialog" onClick={() => setShown(true)}>
          <span role="status">{words}</span>
          <Icon name="open" small />
        </button>
      )}
      <Sheet title={words} open={shown && !empty} onClose={close}>
        <div className="tray-cards">
          {open.map((entry) => {
            const decision = decide(entry.payload as Payloads['tool.call']);
            return decision.do === 'ask' && <CallCard key={entry.key} entry={entry} question={decision.question} />;
          })}
          {needs.map((need) => {
            // The question itself lies above everything, this sheet too.
            if (need.kind === 'capability') return <AppCallEntry key={need.id} entry={need.entry} />;
            if (need.kind === 'question') return null;
            return (
              <Suspense key={need.id} fallback={<div className="surface-waiting" />}>
                <WaitingSurface surface={need.surface} onShow={close} />
              </Suspense>
            );
          })}
        </div>
      </Sheet>
    </>
  );
}
