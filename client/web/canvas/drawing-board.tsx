/** The paper with its lines, which a finger, a pen or a mouse adds to, and the tools under it. */
import { memo, useRef, useState, type PointerEvent } from 'react';
import { Icon } from '../parts/icon.tsx';
import { INK, LINE_WIDTH, type Board, type Stroke } from './board.ts';
import type { CanvasDesk } from './canvas-desk.ts';
import { pathData, type Segment } from './path.ts';
import { useCanvasWords } from './words.ts';

/** In the order of their names. */
const COLORS = [INK, '#17666f', '#b3402e', '#b7791f', '#3f7d3a', '#6d4aa2'] as const;
const WIDEST = 40;
/** Points closer than this to the last one add nothing; in pixels of the screen. */
const STEP_PX = 2;

/** A line that is being drawn. */
interface Drawing {
  pointerId: number;
  segments: readonly Segment[];
  /** On the screen. */
  last: { x: number; y: number };
}

export function DrawingBoard({ desk, board }: { desk: CanvasDesk; board: Board }) {
  const words = useCanvasWords();
  const [color, setColor] = useState<string>(INK);
  const [width, setWidth] = useState(LINE_WIDTH);
  const [full, setFull] = useState(false);
  const { instanceId, strokes } = board;
  return (
    <div className="board">
      <div className="board-desk">
        <Paper board={board} color={color} width={width} onStroke={(stroke) => setFull(!desk.draw(instanceId, stroke))} />
      </div>
      {full && (
        <p className="board-remark" role="alert">
          {words.full}
        </p>
      )}
      <div className="board-tools">
        <fieldset className="board-colors">
          <legend className="hidden-words">{words.colors}</legend>
          {COLORS.map((each, i) => (
            <label key={each} className="board-color">
              <input
                type="radio"
                name={`color-${instanceId}`}
                aria-label={words.colorNames[i]}
                checked={each === color}
                onChange={() => setColor(each)}
              />
              <span style={{ background: each }} />
            </label>
          ))}
        </fieldset>
        <input
          className="board-width"
          type="range"
          min={1}
          max={WIDEST}
          value={width}
          aria-label={words.lineWidth}
          onChange={({ target }) => setWidth(Number(target.value))}
        />
        <button
          type="button"
          className="icon-button"
          aria-label={words.undo}
          title={words.undo}
          disabled={strokes.length === 0}
          onClick={() => desk.undo(instanceId)}
        >
          <Icon name="undo" />
        </button>
        <button type="button" className="button quiet-danger" disabled={strokes.length === 0} onClick={() => desk.clear(instanceId)}>
          {words.clear}
        </button>
      </div>
    </div>
  );
}

function Paper({ board, color, width, onStroke }: { board: Board; color: string; width: number; onStroke: (stroke: Stroke) => void }) {
  const words = useCanvasWords();
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  // Events may come faster than the page is rendered.
  const now = useRef<Drawing | null>(null);
  const become = (next: Drawing | null) => {
    now.current = next;
    setDrawing(next);
  };

  const onDown = (event: PointerEvent<SVGSVGElement>) => {
    if (now.current || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    // A tap is a dot: a line of no length with round ends.
    const start = [
      { command: 'M', values: placeOf(event) },
      { command: 'l', values: [0, 0] },
    ];
    become({ pointerId: event.pointerId, segments: start, last: { x: event.clientX, y: event.clientY } });
  };
  const onMove = (event: PointerEvent<SVGSVGElement>) => {
    const before = now.current;
    if (before?.pointerId !== event.pointerId) return;
    if (Math.hypot(event.clientX - before.last.x, event.clientY - before.last.y) < STEP_PX) return;
    become({ ...before, segments: [...before.segments, { command: 'L', values: placeOf(event) }], last: { x: event.clientX, y: event.clientY } });
  };
  const onEnd = (event: PointerEvent<SVGSVGElement>) => {
    const done = now.current;
    if (done?.pointerId !== event.pointerId) return;
    become(null);
    onStroke({ path: pathData(done.segments), color, width });
  };

  return (
    <svg
      className="board-paper"
      viewBox={`0 0 ${board.width} ${board.height}`}
      style={{ aspectRatio: `${board.width} / ${board.height}` }}
      role="img"
      aria-label={words.canvas(board.strokes.length)}
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={onEnd}
      onPointerCancel={onEnd}
    >
      <g fill="none" strokeLinecap="round" strokeLinejoin="round">
        <Lines strokes={board.strokes} />
        {drawing && <path d={pathData(drawing.segments)} stroke={color} strokeWidth={width} />}
      </g>
    </svg>
  );
}

/** The finished lines; they are not looked at again while another one is drawn. */
const Lines = memo(function Lines({ strokes }: { strokes: readonly Stroke[] }) {
  return strokes.map(({ path, color, width }, i) => <path key={i} d={path} stroke={color} strokeWidth={width} />);
});

/** Where a pointer is on the paper, in units of the board, to a tenth. */
function placeOf({ currentTarget, clientX, clientY }: PointerEvent<SVGSVGElement>): [number, number] {
  const toBoard = currentTarget.getScreenCTM()?.inverse();
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(toBoard);
  return [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
}
