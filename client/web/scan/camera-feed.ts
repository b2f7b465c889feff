/** The camera as pictures to look for a QR code in: runs while it is wanted and seen, and stops at once when it is not. */
import { decodeQR } from 'qr/decode.js';

/** Why there is no picture. `insecure`: browsers give no camera to a page that was loaded without encryption. */
export type NoCamera = 'insecure' | 'refused' | 'none' | 'busy';

/** Longest side of the pictures that are searched, in pixels: enough for a code that fills a third of the view. */
const SEARCHED_SIDE = 960;
/** Pause between two pictures, in ms: the page and the battery need the time too. */
const PAUSE_MS = 80;
/** How long one picture may be searched, in ms. */
const SEARCH_MS = 50;

/**
 * Shows the camera in `video` and searches its pictures.
 * @param on.text gets the text of every code that is seen, again in each picture
 * @returns stops it: the camera is off when this returns
 */
export function watchCamera(video: HTMLVideoElement, on: { live(): void; text(text: string): void; failed(why: NoCamera): void }): () => void {
  let stream: MediaStream | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    for (const track of stream?.getTracks() ?? []) track.stop();
    video.srcObject = null;
  };
  const fail = (error: unknown) => {
    if (stopped) return;
    stop();
    on.failed(reasonOf(error));
  };
  const look = picker();
  const search = () => {
    if (stopped) return;
    const text = look(video);
    if (text !== null) on.text(text);
    if (!stopped) timer = setTimeout(search, PAUSE_MS);
  };
  const begin = async () => {
    // Typed as always there, it is missing where the page was not loaded securely.
    const devices = navigator.mediaDevices as MediaDevices | undefined;
    if (!devices) throw new DOMException('no camera for this page', globalThis.isSecureContext ? 'NotFoundError' : 'SecurityError');
    const live = await devices.getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1_280 }, height: { ideal: 1_280 } } });
    stream = live;
    // Nobody wants it any more: it came too late.
    if (stopped) return stop();
    for (const track of live.getTracks()) track.addEventListener('ended', () => fail(new DOMException('taken away', 'NotReadableError')));
    video.srcObject = live;
    await video.play();
    if (stopped) return;
    on.live();
    search();
  };
  begin().catch(fail);
  return stop;
}

/** Gives a function that reads the code in what a video shows right now; null when there is none. */
function picker(): (video: HTMLVideoElement) => string | null {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return (video) => {
    const { videoWidth, videoHeight } = video;
    if (!context || videoWidth === 0) return null;
    const scale = Math.min(1, SEARCHED_SIDE / Math.max(videoWidth, videoHeight));
    const [width, height] = [Math.round(videoWidth * scale), Math.round(videoHeight * scale)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    context.drawImage(video, 0, 0, width, height);
    try {
      return decodeQR(context.getImageData(0, 0, width, height), { timeLimit: SEARCH_MS });
    } catch {
      // The decoder throws for every picture without a code that it can read: the next one is looked at.
      return null;
    }
  };
}

/** @throws whatever is no word of the browser's about the camera */
function reasonOf(error: unknown): NoCamera {
  if (!(error instanceof DOMException)) throw error;
  switch (error.name) {
    case 'SecurityError':
      return globalThis.isSecureContext ? 'refused' : 'insecure';
    case 'NotAllowedError':
      return 'refused';
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'none';
    default:
      return 'busy';
  }
}
