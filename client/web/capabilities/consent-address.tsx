/** The address that an agent wants opened: whole, with the part marked that decides where it leads. */
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';
import { addressParts } from './address.ts';

export default function ConsentAddress({ url }: { url: string }) {
  const { t } = useTranslation();
  const parts = addressParts(url);
  // The schema lets nothing else through.
  if (parts === null) return null;
  return (
    <div className="consent-object">
      <p className="consent-address" dir="ltr" tabIndex={0} role="group" aria-label={parts.href}>
        {parts.scheme}
        {parts.subdomain}
        <strong>{parts.domain}</strong>
        {parts.rest}
      </p>
      <p className="consent-fact">{t('consent.url.leads', { domain: parts.domain })}</p>
      {parts.warnings.map((warning) => (
        <p key={warning} className="consent-warning">
          <Icon name="warning" small />
          {t(`consent.url.${warning}`)}
        </p>
      ))}
    </div>
  );
}
