/** Where boards are shown: in the dock beside the timeline where there is room, and, there or on a phone, the whole window for one of them. */
import { useId, useRef } from 'react';
import { useView } from '../parts/contexts.ts';
import { useWide } from '../parts/use-wide.ts';
import { PanelBar } from '../surfaces/panel-bar.tsx';
import { useAlone, useBack } from '../surfaces/use-whole-window.ts';
import type { Board } from './board.ts';
import { BoardLabel } from './board-label.tsx';
import type { CanvasDesk } from './canvas-desk.ts';
import { DrawingBoard } from './drawing-board.tsx';
import { useCanvasWords } from './words.ts';
import '../surfaces/surfaces.css';
import './canvas.css';

export default function CanvasStage({ desk }: { desk: CanvasDesk }) {
  const words = useCanvasWords();
  const { open, active, whole } = useView(desk.view);
  const wide = useWide();
  const stage = useRef<HTMLElement>(null);
  const filled = whole && active !== null;
  useAlone(stage, filled);
  useBack(filled, () => (wide && active !== null ? desk.show(active) : desk.leave()));
  if (wide ? open.length === 0 : !filled) return null;
  return (
    <aside className={filled ? 'stage whole' : 'stage'} aria-label={words.dock} ref={stage}>
      <div className="stage-scroll">
        {open.map((board) => (
          <BoardPanel
            key={board.instanceId}
            desk={desk}
            board={board}
            active={board.instanceId === active}
            whole={filled && board.instanceId === active}
            wide={wide}
          />
        ))}
      </div>
    </aside>
  );
}

interface BoardPanelProps {
  desk: CanvasDesk;
  board: Board;
  active: boolean;
  whole: boolean;
  /** Whether there is a dock to go back to. */
  wide: boolean;
}

function BoardPanel({ desk, board, active, whole, wide }: BoardPanelProps) {
  const words = useCanvasWords();
  const bodyId = useId();
  const { instanceId } = board;
  return (
    <section className={active ? 'surface active' : 'surface'} data-board={instanceId} aria-label={words.board}>
      <PanelBar
        label={<BoardLabel board={board} />}
        active={active}
        whole={whole}
        wide={wide}
        bodyId={bodyId}
        sizing={whole ? words.smaller : words.whole}
        closing={words.close}
        onShow={(fill) => desk.show(instanceId, fill)}
        onLeave={() => desk.leave()}
        onClose={() => desk.close(instanceId)}
      />
      {active && (
        <div className="surface-body" id={bodyId}>
          <DrawingBoard desk={desk} board={board} />
        </div>
      )}
    </section>
  );
}
