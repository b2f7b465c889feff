/** A part of the page that is loaded when it is needed. One that does not come, or breaks, leaves the rest alone and says so. */
import { Suspense, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Boundary } from './boundary.tsx';

/** @param props.fallback stands there while it is loaded */
export function Part({ children, fallback }: { children: ReactNode; fallback?: ReactNode }) {
  return (
    <Boundary fallback={<PartMissing />}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </Boundary>
  );
}

/** What was asked for once is not asked for again by the browser: only a reload does. */
function PartMissing() {
  const { t } = useTranslation();
  return (
    <aside className="update-bar" aria-label={t('broken.part')}>
      <span role="alert">{t('broken.part')}</span>
      <button type="button" className="text-button" onClick={() => location.reload()}>
        {t('broken.reload')}
      </button>
    </aside>
  );
}
