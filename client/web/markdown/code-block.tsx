/** A block of code: its language, a copy button, and its own scrolling. */
import { isValidElement, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export function CodeBlock({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const pre = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(pre.current?.textContent ?? '');
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div className="code-block">
      <div className="code-block-head">
        <span>{languageOf(children)}</span>
        {/* Pages that are not served securely have no clipboard. */}
        {'clipboard' in navigator && (
          <button type="button" className="text-button" onClick={() => void copy()}>
            {copied ? t('message.copied') : t('message.copy')}
          </button>
        )}
      </div>
      <pre ref={pre} tabIndex={0}>
        {children}
      </pre>
    </div>
  );
}

function languageOf(children: ReactNode): string {
  if (!isValidElement<{ className?: string }>(children)) return '';
  return /language-([\w+#.-]+)/.exec(children.props.className ?? '')?.[1] ?? '';
}
