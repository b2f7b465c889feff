/** A call of the canvas in the timeline: a card that brings an open board to the screen, a quiet line for everything else. */
import type { CanvasCall } from '../../../src/protocol/tools.ts';
import type { Entry } from '../model/entry.ts';
import { useConversation, useConversationPart, useView } from '../parts/contexts.ts';
import { useWide } from '../parts/use-wide.ts';
import { QuietLine } from '../timeline/quiet-line.tsx';
import { useOutcome } from '../timeline/use-outcome.ts';
import type { Board } from './board.ts';
import { BoardLabel } from './board-label.tsx';
import type { CanvasDesk } from './canvas-desk.ts';
import { useCanvasWords } from './words.ts';
import '../surfaces/surfaces.css';
import './canvas.css';

export default function CanvasEntry({ entry, call }: { entry: Entry; call: CanvasCall }) {
  const desk = useView(useConversation().canvas.view);
  if (call.action !== 'open') return <Done entry={entry} action={call.action} />;
  return desk && entry.call ? <Opened desk={desk} entry={entry} callId={entry.call.callId} /> : <Closed entry={entry} />;
}

function Opened({ desk, entry, callId }: { desk: CanvasDesk; entry: Entry; callId: string }) {
  const board = useView(desk.view).open.find(({ openCall }) => openCall === callId);
  return board ? <Card desk={desk} board={board} /> : <Closed entry={entry} />;
}

function Card({ desk, board }: { desk: CanvasDesk; board: Board }) {
  const words = useCanvasWords();
  const wide = useWide();
  const { active } = useView(desk.view);
  const beside = wide && active === board.instanceId;
  return (
    <div className="surface-card" data-board-card={board.instanceId}>
      <div className="surface-bar">
        <button type="button" className="surface-label" onClick={() => desk.show(board.instanceId, !wide)}>
          <BoardLabel board={board} />
          {!beside && <span className="surface-go">{words.open}</span>}
        </button>
      </div>
      {beside && <p className="surface-card-remark">{words.beside}</p>}
    </div>
  );
}

function Closed({ entry }: { entry: Entry }) {
  const words = useCanvasWords();
  const { outcome } = useOutcome(entry);
  return (
    <QuietLine icon="brush">
      {entry.call?.status === 'completed' ? words.closed : words.board}
      {entry.call?.status !== 'completed' && <span className="outcome"> · {outcome}</span>}
    </QuietLine>
  );
}

function Done({ entry, action }: { entry: Entry; action: Exclude<CanvasCall['action'], 'open'> }) {
  const words = useCanvasWords();
  const agent = useConversationPart((view) => view.agent.name);
  const { outcome } = useOutcome(entry);
  const status = entry.call?.status;
  return (
    <QuietLine icon="brush">
      {agent} {words.did[action]}
      {status !== 'completed' && <span className="outcome"> · {status === 'failed' ? words.failed : outcome}</span>}
    </QuietLine>
  );
}
