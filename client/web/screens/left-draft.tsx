/** What was typed and can no longer be sent where it was meant to go: shown, to be copied. */
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../parts/clipboard.ts';

export function LeftDraft({ text }: { text: string }) {
  const { t } = useTranslation();
  const id = useId();
  // What is kept of a conversation that is gone goes, but not from under the eyes of whoever wrote it.
  const [left] = useState(text);
  const [copied, setCopied] = useState(false);
  if (left.trim() === '') return null;
  return (
    <section className="left-draft" aria-labelledby={id}>
      <h2 id={id}>{t('gone.draft')}</h2>
      <p dir="auto" tabIndex={0}>
        {left}
      </p>
      <button type="button" className="button" onClick={() => void copyText(left).then(setCopied)}>
        {copied ? t('message.copied') : t('message.copy')}
      </button>
    </section>
  );
}
