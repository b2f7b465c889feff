/** A `tool.call`: a card while it waits for the user, one line once it is over. */
import { lazy, memo, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { CallCard } from '../cards/call-card.tsx';
import { isOpen, type Entry } from '../model/entry.ts';
import { objectField, textField } from '../model/timeline.ts';
import { decide, type Question } from '../model/tool-desk.ts';
import { Revealed } from '../parts/revealed.tsx';
import { capped, plainVisible } from '../parts/visible-text.ts';
import { QuietLine } from './quiet-line.tsx';
import { useOutcome } from './use-outcome.ts';

const CanvasEntry = lazy(() => import('../canvas/canvas-entry.tsx'));

export const ToolCallEntry = memo(function ToolCallEntry({ entry }: { entry: Entry }) {
  const call = entry.payload as Payloads['tool.call'];
  const decision = decide(call);
  if (decision.do === 'answer') return <OwnWork entry={entry} />;
  if (decision.do === 'draw') {
    return (
      <Suspense fallback={<div className="surface-waiting" />}>
        <CanvasEntry entry={entry} call={decision.call} />
      </Suspense>
    );
  }
  if (entry.call && isOpen(entry.call)) return <CallCard entry={entry} question={decision.question} />;
  return <Settled entry={entry} question={decision.question} />;
});

/** What the device did by itself, or had to refuse. */
function OwnWork({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const { outcome } = useOutcome(entry);
  const call = entry.payload as Payloads['tool.call'];
  const result = entry.call?.answer ? textField(objectField(entry.call.answer, 'result'), 'message') : undefined;
  const name = call.action ? `${call.name}.${call.action}` : call.name;
  return (
    <QuietLine icon={call.name === 'calculator' ? 'calculator' : 'question'}>
      {sum(call) ?? capped(plainVisible(name), 80)}{' '}
      {result === undefined ? <span className="outcome">· {outcome}</span> : <strong className="numbers">= {result}</strong>}
    </QuietLine>
  );

  function sum({ name: tool, action, arguments: args }: Payloads['tool.call']): string | null {
    const sign = { add: '+', subtract: '−', multiply: '×', divide: '÷' }[action ?? ''];
    if (tool !== 'calculator' || sign === undefined || typeof args.a !== 'number' || typeof args.b !== 'number') return null;
    return t('call.calculated', { sum: `${args.a} ${sign} ${args.b}` });
  }
}

function Settled({ entry, question }: { entry: Entry; question: Question }) {
  const { outcome, answer, icon } = useOutcome(entry);
  return (
    <QuietLine icon={icon}>
      <Revealed text={capped(question.arguments.question, 200)} />{' '}
      {answer === null ? (
        <span className="outcome">· {outcome}</span>
      ) : (
        <strong>
          <Revealed text={answer} />
        </strong>
      )}
    </QuietLine>
  );
}
