/** What a board is called: by the host, since an agent gives it no name. */
import { useConversationPart } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import type { Board } from './board.ts';
import { useCanvasWords } from './words.ts';

export function BoardLabel({ board }: { board: Board }) {
  const words = useCanvasWords();
  const agent = useConversationPart((view) => view.agent.name);
  return (
    <>
      <span className="board-sign" aria-hidden="true">
        <Icon name="brush" />
      </span>
      <span className="surface-words">
        <b className="surface-name">{words.board}</b>
        <span className="surface-from">{words.size(board.width, board.height)}</span>
        <span className="surface-from">{words.from(agent)}</span>
      </span>
    </>
  );
}
