/** A text: a document when the agent wrote it, a tinted note when the user did. */
import { lazy, memo, Suspense, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';
import { Boundary } from '../parts/boundary.tsx';
import { loadMarkdown } from './load-markdown.ts';
import { useUnfolded } from './memory.ts';
import { plainLayout } from './plain-layout.ts';
import { Quotation } from './quotation.tsx';
import { useHeld } from './use-held.ts';

const Markdown = lazy(loadMarkdown);

/** Texts longer than this many characters begin folded. */
const FOLD_DOCUMENT = 6_000;
const FOLD_NOTE = 1_500;
/** What a folded document shows; the fold hides the cut. */
const FOLDED = 3_000;

export const TextEntry = memo(function TextEntry({ entry }: { entry: Entry }) {
  const content = textField(entry.payload, 'content') ?? '';
  return entry.mine ? <Note entry={entry} content={content} /> : <Document entry={entry} content={content} />;
});

function Note({ entry, content }: { entry: Entry; content: string }) {
  const { t } = useTranslation();
  const foldable = content.length > FOLD_NOTE || content.split('\n', 14).length > 13;
  const [unfolded, setUnfolded] = useUnfolded(entry.key);
  const open = unfolded || !foldable;
  return (
    <div className="note-frame">
      <Quotation entry={entry} />
      <p className={`note${open ? '' : ' folded'}${han(content)}`} dir="auto">
        {content}
      </p>
      {foldable && (
        <button type="button" className="text-button" aria-expanded={open} onClick={() => setUnfolded(!open)}>
          {open ? t('message.less') : t('message.more')}
        </button>
      )}
    </div>
  );
}

function Document({ entry, content }: { entry: Entry; content: string }) {
  const { t } = useTranslation();
  // A text that was read while it was written does not fold under the reader's eyes.
  const foldable = content.length > FOLD_DOCUMENT && !entry.streamed;
  const [open, setOpen] = useUnfolded(entry.key);
  const folded = foldable && !open;
  const box = useRef<HTMLDivElement>(null);
  const held = useHeld(content, box);
  const shown = folded ? cutAt(content, FOLDED) : held;
  const plain = entry.payload.format === 'plain';
  const flowing = entry.stream === 'flowing';
  return (
    <>
      <Quotation entry={entry} />
      <div
        ref={box}
        className={`document${plain ? '' : ' markdown'}${folded ? ' fold' : ''}${flowing ? ' flowing' : ''}${han(shown)}`}
        dir="auto"
        aria-busy={flowing || undefined}
      >
        {plain ? (
          <Plain text={shown} />
        ) : (
          <Boundary about={shown} fallback={<div className="plain">{shown}</div>}>
            <Suspense fallback={<div className="plain">{shown}</div>}>
              <Markdown text={shown} atOnce={flowing} />
            </Suspense>
          </Boundary>
        )}
      </div>
      {foldable && (
        <button type="button" className="text-button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t('message.less') : t('message.more')}
        </button>
      )}
      {(entry.stream === 'stalled' || entry.edited) && (
        <p className="remark">{entry.stream === 'stalled' ? t('message.unfinished') : t('message.edited')}</p>
      )}
    </>
  );
}

/** What its author has laid out keeps its lines and columns. */
function Plain({ text }: { text: string }) {
  const layout = plainLayout(text);
  if (layout === 'prose') return <div className="plain">{text}</div>;
  return (
    <pre className={`laid-out ${layout}`} tabIndex={layout === 'lines' ? 0 : undefined}>
      {text}
    </pre>
  );
}

/** Chinese needs more air between the lines than the language of the page may have. */
function han(text: string): string {
  return /\p{Script=Han}/u.test(text.slice(0, 400)) ? ' han' : '';
}

/** The first `length` units, without half of a character at the end. */
function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
