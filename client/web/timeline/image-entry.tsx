/** An image: one of the conversation's files is shown at once, one from outside after a tap. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';
import { Lightbox } from '../parts/lightbox.tsx';
import { OutsideImage } from '../parts/outside-image.tsx';
import { saveAddress } from '../parts/save-file.ts';
import { useFile } from './use-file.ts';

export function ImageEntry({ entry }: { entry: Entry }) {
  const { payload } = entry;
  const alt = textField(payload, 'alt') ?? '';
  const caption = textField(payload, 'caption');
  const fileId = textField(payload, 'file_id');
  return (
    <figure>
      {fileId === undefined ? (
        <OutsideImage url={textField(payload, 'url') ?? ''} alt={alt} />
      ) : (
        <StoredImage fileId={fileId} alt={alt || (caption ?? '')} />
      )}
      {caption && (
        <figcaption className="picture-caption" dir="auto">
          {caption}
        </figcaption>
      )}
    </figure>
  );
}

function StoredImage({ fileId, alt }: { fileId: string; alt: string }) {
  const { t } = useTranslation();
  const { state, again } = useFile(fileId);
  const [broken, setBroken] = useState(false);
  const [large, setLarge] = useState(false);
  if (state.name === 'loading') return <div className="picture-waiting">{t('image.loading')}</div>;
  if (state.name === 'failed') return <Unshown words={t('image.failed')} act={t('trouble.again')} onAct={again} />;
  if (broken) return <Unshown words={t('image.unreadable')} act={t('file.download')} onAct={() => saveAddress(state.url, alt || t('image.one'))} />;
  return (
    <>
      <button type="button" className="picture" aria-label={alt ? `${t('image.open')}: ${alt}` : t('image.open')} onClick={() => setLarge(true)}>
        <img src={state.url} alt="" onError={() => setBroken(true)} />
      </button>
      <Lightbox url={state.url} alt={alt || t('image.one')} open={large} onClose={() => setLarge(false)} />
    </>
  );
}

/** In place of a picture: why it is not there, and what can be done. */
function Unshown({ words, act, onAct }: { words: string; act: string; onAct: () => void }) {
  return (
    <div className="picture-waiting">
      <span>
        {words}
        <button type="button" className="text-button" onClick={onAct}>
          {act}
        </button>
      </span>
    </div>
  );
}
