/** The ways to pair from here: the camera, or a code or link that is typed or pasted. */
import { lazy, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';
import { Part } from '../parts/part.tsx';
import { CodeForm } from './code-form.tsx';

const ScanSheet = lazy(() => import('../scan/scan-sheet.tsx'));

/** @param action the words on the button under the field */
export function WaysIn({ action }: { action?: string }) {
  const { t } = useTranslation();
  const field = useRef<HTMLInputElement>(null);
  const [scanning, setScanning] = useState(false);
  // Kept once it was wanted, so that it can leave in its own time.
  const [wanted, setWanted] = useState(false);
  const scan = () => {
    setWanted(true);
    setScanning(true);
  };
  const type = () => {
    setScanning(false);
    // The sheet gives the focus back to the button as it leaves; then it is the field's.
    setTimeout(() => field.current?.focus(), FOCUS_AFTER_MS);
  };
  return (
    <div className="ways-in">
      <button type="button" className="button wide" aria-haspopup="dialog" onClick={scan}>
        <Icon name="scan" />
        {t('scan.open')}
      </button>
      <p className="or">{t('pair.or')}</p>
      <CodeForm field={field} {...(action !== undefined && { action })} />
      {wanted && (
        <Part>
          <ScanSheet open={scanning} onClose={() => setScanning(false)} onType={type} />
        </Part>
      )}
    </div>
  );
}

/** Longer than a sheet takes to leave, in ms. */
const FOCUS_AFTER_MS = 240;
