/** Pairing by the camera: it is held to the QR code of an agent, and the question comes up by itself. Loaded when it is wanted. */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp } from '../parts/contexts.ts';
import { Sheet } from '../parts/sheet.tsx';
import { followInvitation } from '../screens/follow-invitation.ts';
import { watchCamera, type NoCamera } from './camera-feed.ts';
import { readScan } from './read-scan.ts';

/** How long it is said that a code is none of ours after it was last seen, in ms. */
const SAID_FOR_MS = 4_000;

type State = 'starting' | 'looking' | NoCamera;

/** @param props.onType leaves the camera for the field where a code is typed */
export default function ScanSheet({ open, onClose, onType }: { open: boolean; onClose: () => void; onType: () => void }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('scan.title')} open={open} onClose={onClose}>
      <Scanner onFound={onClose} onType={onType} />
    </Sheet>
  );
}

function Scanner({ onFound, onType }: { onFound: () => void; onType: () => void }) {
  const { t } = useTranslation();
  const { video, state, refused, again } = useScanner(onFound);
  if (state !== 'starting' && state !== 'looking') {
    return (
      <div className="scan">
        <p role="alert">{t(`scan.no.${state}`)}</p>
        <p className="remark">{t('scan.elsewhere')}</p>
        <div className="stack">
          <button type="button" className="button primary wide" onClick={onType}>
            {t('scan.type')}
          </button>
          {state !== 'insecure' && (
            <button type="button" className="button wide" onClick={again}>
              {t('trouble.again')}
            </button>
          )}
        </div>
      </div>
    );
  }
  return (
    <div className="scan">
      <div className="scan-view">
        <video ref={video} muted playsInline aria-label={t('scan.view')} />
        <span className="scan-frame" />
      </div>
      <p className={refused ? 'problem' : 'remark'} role="status">
        {refused ? t(`scan.not.${refused}`) : t(state === 'starting' ? 'scan.starting' : 'scan.lead')}
      </p>
      <button type="button" className="button quiet wide" onClick={onType}>
        {t('scan.type')}
      </button>
    </div>
  );
}

function useScanner(onFound: () => void) {
  const app = useApp();
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<State>('starting');
  const [refused, setRefused] = useState<'foreign' | 'insecure' | null>(null);
  const [attempt, setAttempt] = useState(0);
  const visible = useSyncExternalStore(onVisibility, isVisible);
  const found = useRef(onFound);
  found.current = onFound;
  useEffect(() => {
    if (!visible || !video.current) return;
    let forget: ReturnType<typeof setTimeout> | undefined;
    const stop = watchCamera(video.current, {
      live: () => setState('looking'),
      failed: setState,
      text(text) {
        const scanned = readScan(text);
        if (scanned.ok) {
          stop();
          found.current();
          void followInvitation(app, scanned.invitation);
          return;
        }
        setRefused(scanned.reason);
        clearTimeout(forget);
        forget = setTimeout(() => setRefused(null), SAID_FOR_MS);
      },
    });
    return () => {
      stop();
      clearTimeout(forget);
      setRefused(null);
    };
  }, [app, visible, attempt]);
  const again = () => {
    setState('starting');
    setAttempt(attempt + 1);
  };
  return { video, state, refused, again };
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

function isVisible(): boolean {
  return document.visibilityState === 'visible';
}
