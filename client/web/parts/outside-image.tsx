/** An image that lies somewhere on the internet: loaded after a tap and never by itself, since loading it tells its host who looks. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

export function OutsideImage({ url, alt }: { url: string; alt: string }) {
  const { t } = useTranslation();
  const [state, setState] = useState<'waiting' | 'shown' | 'failed'>('waiting');
  const address = URL.parse(url);
  if (address?.protocol !== 'https:') return <span className="remark">{alt || t('image.unusable')}</span>;
  const { host } = address;
  if (state === 'shown') {
    return (
      <span className="picture">
        <img src={url} alt={alt} referrerPolicy="no-referrer" onError={() => setState('failed')} />
      </span>
    );
  }
  return (
    <span className="outside-image">
      <span title={t('image.outsideLead', { host })}>
        {state === 'failed' ? t('image.failed') : t('image.outside', { host })}
        {alt && ` · ${alt}`}
      </span>
      <button type="button" className="text-button" onClick={() => setState('shown')}>
        {t('image.show')}
      </button>
    </span>
  );
}
