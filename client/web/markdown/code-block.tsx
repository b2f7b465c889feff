/** A block of code: its language, its colours, a copy button, and its own scrolling. */
import { isValidElement, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../parts/clipboard.ts';
import type { Highlighted } from './highlight.ts';
import { useHighlight } from './use-highlight.ts';

type Piece = Highlighted['children'][number];

export function CodeBlock({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const pre = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState(false);
  const { language, code } = partsOf(children);
  const tree = useHighlight(language.toLowerCase(), code);
  const copy = async () => {
    if (!(await copyText(pre.current?.textContent ?? ''))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div className="code-block">
      <div className="code-block-head">
        <span>{language}</span>
        <button type="button" className="text-button" onClick={() => void copy()}>
          {copied ? t('message.copied') : t('message.copy')}
        </button>
      </div>
      <pre ref={pre} tabIndex={0}>
        {tree ? <code>{tree.children.map(coloured)}</code> : children}
      </pre>
    </div>
  );
}

function coloured(piece: Piece, index: number): ReactNode {
  if (piece.type === 'text') return piece.value;
  if (piece.type !== 'element') return null;
  const names = piece.properties.className;
  return (
    <span key={index} className={Array.isArray(names) ? names.join(' ') : undefined}>
      {piece.children.map(coloured)}
    </span>
  );
}

function partsOf(children: ReactNode): { language: string; code: string } {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return { language: '', code: '' };
  const { className = '', children: code } = children.props;
  return { language: /language-([\w+#.-]+)/.exec(className)?.[1] ?? '', code: typeof code === 'string' ? code : '' };
}
