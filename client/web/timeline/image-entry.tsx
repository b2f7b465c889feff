/** An image: one of the conversation's files is shown at once, one from outside after a tap. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';
import { Lightbox } from '../parts/lightbox.tsx';
import { OutsideImage } from '../parts/outside-image.tsx';
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
  if (state.name === 'failed' || broken) {
    return (
      <div className="picture-waiting">
        <span>
          {t('image.failed')}
          {!broken && (
            <button type="button" className="text-button" onClick={again}>
              {t('trouble.again')}
            </button>
          )}
        </span>
      </div>
    );
  }
  return (
    <>
      <button type="button" className="picture" aria-label={alt ? `${t('image.open')}: ${alt}` : t('image.open')} onClick={() => setLarge(true)}>
        <img src={state.url} alt="" onError={() => setBroken(true)} />
      </button>
      <Lightbox url={state.url} alt={alt || t('image.one')} open={large} onClose={() => setLarge(false)} />
    </>
  );
}
