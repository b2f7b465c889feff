/** A file that is about to be sent. */
import { useTranslation } from 'react-i18next';
import { fileSize } from '../i18n/format.ts';
import { useLanguage } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { useTroubleWords } from '../parts/use-trouble-words.ts';
import type { Attachment } from './attachments.ts';

export function AttachmentChip({ attachment, onRemove, onAgain }: { attachment: Attachment; onRemove: () => void; onAgain: () => void }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const troubleWords = useTroubleWords();
  const { file, preview, state } = attachment;
  const percent = state.name === 'uploading' ? Math.round(state.share * 100) : 100;
  return (
    <div className={`attachment ${state.name}`} title={state.name === 'failed' ? troubleWords(state.trouble) : file.name}>
      <span className="attachment-face">{preview ? <img src={preview} alt="" /> : <Icon name="file" />}</span>
      <span className="attachment-words">
        <b dir="auto">{file.name}</b>
        <span className="numbers" role="status">
          {state.name === 'failed' ? t('composer.uploadFailed') : state.name === 'uploading' ? `${percent} %` : fileSize(file.size, language)}
        </span>
      </span>
      {state.name === 'failed' && state.trouble.kind !== 'too-large' && (
        <button type="button" className="text-button" onClick={onAgain}>
          {t('delivery.retry')}
        </button>
      )}
      <button type="button" className="icon-button" aria-label={t('composer.remove', { name: file.name })} onClick={onRemove}>
        <Icon name="close" small />
      </button>
      {state.name === 'uploading' && (
        <div className="bar" role="progressbar" aria-label={t('composer.uploading', { name: file.name })} aria-valuenow={percent}>
          <span style={{ width: `${percent}%` }} />
        </div>
      )}
    </div>
  );
}
