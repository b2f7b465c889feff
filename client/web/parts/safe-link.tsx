/** Links that a stranger wrote. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

const SCHEMES: readonly string[] = ['http:', 'https:', 'mailto:'];

/** The address when it is whole and http, https or mailto; null for anything else. */
export function safeAddress(address: string): string | null {
  const url = URL.parse(address);
  return url && SCHEMES.includes(url.protocol) ? address : null;
}

/** A link that opens in a new tab which cannot reach back; the bare words when the address is none that we open. */
export function SafeLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const { t } = useTranslation();
  const address = href === undefined ? null : safeAddress(href);
  if (address === null) return <span>{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {children}
      <span className="hidden-words">{t('message.openLink', { text: '' })}</span>
    </a>
  );
}
