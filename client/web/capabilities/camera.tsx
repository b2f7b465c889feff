/** One picture, taken by the user. The camera stops as soon as it is taken, or nobody wants it any more. */
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';

/** Longest side of the picture, in pixels, and its quality as JPEG. */
const LONGEST_SIDE = 2_048;
const QUALITY = 0.88;

type Facing = 'front' | 'back';

/** @param onTaken gets the picture; who wants none closes the dialog */
export function Camera({ facing: first, onTaken }: { facing: Facing; onTaken: (photo: Blob) => void }) {
  const { t } = useTranslation();
  const [facing, setFacing] = useState(first);
  const [photo, setPhoto] = useState<{ blob: Blob; url: string } | null>(null);
  const { video, state } = useCamera(facing, photo === null);
  useEffect(() => () => void (photo && URL.revokeObjectURL(photo.url)), [photo]);
  const shoot = async () => {
    const blob = video.current && (await still(video.current));
    if (blob) setPhoto({ blob, url: URL.createObjectURL(blob) });
  };
  if (state === 'refused') return <Chooser onTaken={onTaken} />;
  return (
    <div className="camera" role="group" aria-label={t('camera.region')}>
      {photo ? <img className="camera-view" src={photo.url} alt="" /> : <video className="camera-view" ref={video} muted playsInline autoPlay />}
      <p role="status" className="hidden-words">
        {state === 'starting' ? t('camera.starting') : ''}
      </p>
      <div className="camera-actions">
        {photo ? (
          <>
            <button type="button" className="button" onClick={() => setPhoto(null)}>
              {t('camera.again')}
            </button>
            <button type="button" className="button primary" onClick={() => onTaken(photo.blob)}>
              {t('camera.use')}
            </button>
          </>
        ) : (
          <>
            <span />
            <button
              type="button"
              className="camera-shutter"
              aria-label={t('camera.shoot')}
              disabled={state !== 'ready'}
              onClick={() => void shoot()}
            />
            <button
              type="button"
              className="icon-button"
              aria-label={t('camera.turn')}
              onClick={() => setFacing(facing === 'front' ? 'back' : 'front')}
            >
              <Icon name="turn" />
            </button>
          </>
        )}
      </div>
    </div>
  );
}

/** The way out where the browser gives no camera. */
function Chooser({ onTaken }: { onTaken: (photo: Blob) => void }) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="camera-refused">
      <p role="alert">{t('camera.refused')}</p>
      <input
        ref={input}
        type="file"
        accept="image/*"
        capture="environment"
        hidden
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) onTaken(file);
        }}
      />
      <button type="button" className="button" onClick={() => input.current?.click()}>
        {t('camera.choose')}
      </button>
    </div>
  );
}

function useCamera(facing: Facing, wanted: boolean) {
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<'starting' | 'ready' | 'refused'>('starting');
  useEffect(() => {
    if (!wanted) return;
    let stopped = false;
    let stream: MediaStream | null = null;
    const stop = () => stream?.getTracks().forEach((track) => track.stop());
    setState('starting');
    const size = { width: { ideal: LONGEST_SIDE }, height: { ideal: LONGEST_SIDE } };
    navigator.mediaDevices.getUserMedia({ video: { facingMode: facing === 'front' ? 'user' : 'environment', ...size } }).then(
      async (live) => {
        stream = live;
        if (stopped || !video.current) return stop();
        video.current.srcObject = live;
        await video.current.play();
        setState('ready');
      },
      () => setState('refused'),
    );
    return () => {
      stopped = true;
      stop();
    };
  }, [facing, wanted]);
  return { video, state };
}

function still(video: HTMLVideoElement): Promise<Blob | null> {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(video.videoWidth, video.videoHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(video.videoWidth * scale));
  canvas.height = Math.max(1, Math.round(video.videoHeight * scale));
  canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
}
