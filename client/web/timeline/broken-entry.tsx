/** In place of an entry that could not be drawn: one line, and what was sent for whoever wants to look into it. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { copyText } from '../parts/clipboard.ts';
import { QuietLine } from './quiet-line.tsx';

export function BrokenEntry({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  const { id, type, seq, ts, sender, payload } = entry;
  const copy = async () => setCopied(await copyText(JSON.stringify({ id, type, seq, ts, sender, payload }, null, 2)));
  return (
    <div className="entry quiet" data-entry={entry.key} data-type={type}>
      <QuietLine icon="warning">
        {t('broken.entry')}{' '}
        <button type="button" className="text-button" onClick={() => void copy()}>
          {copied ? t('message.copied') : t('broken.raw')}
        </button>
      </QuietLine>
    </div>
  );
}
