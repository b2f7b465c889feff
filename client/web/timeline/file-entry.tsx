/** A file with its size; a tap fetches it and hands it to the browser's downloads. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fileSize } from '../i18n/format.ts';
import type { Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';
import { useConversation, useLanguage } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { shownFileName } from '../parts/shown-name.ts';
import { saveAddress } from '../parts/save-file.ts';
import { troubleOf } from '../store/trouble.ts';

export function FileEntry({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { files } = useConversation();
  const [failed, setFailed] = useState(false);
  const name = textField(entry.payload, 'name') ?? '';
  const size = typeof entry.payload.size === 'number' ? entry.payload.size : 0;
  const download = async () => {
    setFailed(false);
    try {
      saveAddress(await files.url(textField(entry.payload, 'file_id') ?? ''), name);
    } catch (error) {
      troubleOf(error);
      setFailed(true);
    }
  };
  return (
    <button type="button" className="file-row" onClick={() => void download()}>
      <Icon name="file" />
      <span className="file-row-words">
        <b dir="auto">{shownFileName(name)}</b>
        <span className="numbers">{failed ? t('file.failed') : fileSize(size, language)}</span>
      </span>
      <span className="icon-button">
        <Icon name="download" />
        <span className="hidden-words">{t('file.download')}</span>
      </span>
    </button>
  );
}
