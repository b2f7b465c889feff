/** A stranger's words, kept to themselves: nothing in them hides, and none of them turns what stands around it. */
import { visibleText } from './visible-text.ts';
import './revealed.css';

export function Revealed({ text }: { text: string }) {
  return (
    <bdi className="revealed">
      {visibleText(text).map((piece, i) =>
        'text' in piece ? (
          piece.text
        ) : (
          <code key={i} className="revealed-mark">
            {piece.hidden}
          </code>
        ),
      )}
    </bdi>
  );
}
