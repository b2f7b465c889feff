/**
 * The seam for whoever asks the user something that no surface may interfere with: while a consent dialog is open, no surface runs.
 *
 * ```ts
 * const resume = pauseSurfaces();
 * try { await askTheUser(); } finally { resume(); }
 * ```
 */
import { Observable } from '../store/observable.ts';

let holders = 0;

/** Whether surfaces are taken down right now. */
export const surfacesPaused = new Observable(
  () => holders > 0,
  (run) => run(),
);

/** Takes every surface off the page, at once, until each one who asked for it has called what this returns. */
export function pauseSurfaces(): () => void {
  holders += 1;
  surfacesPaused.flush();
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    holders -= 1;
    surfacesPaused.flush();
  };
}
