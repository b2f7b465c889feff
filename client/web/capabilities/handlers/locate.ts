/** `device.location`: once, where the device is now. */
import type { Handler } from '../handler.ts';
import { completed, DISMISSED, refused } from '../outcome.ts';

/** Longest wait for a position, in ms. */
const PATIENCE_MS = 30_000;

export const locate: Handler<'device.location'> = ({ high_accuracy }, { signal }) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(DISMISSED), { once: true });
    navigator.geolocation.getCurrentPosition(
      ({ coords }) =>
        resolve(completed('device.location', { latitude: coords.latitude, longitude: coords.longitude, accuracy: Math.round(coords.accuracy) })),
      (error) => {
        if (error.code === error.PERMISSION_DENIED)
          resolve(refused('rejected', 'permission_denied', 'The device does not let this page know where it is.'));
        else if (error.code === error.TIMEOUT) resolve(refused('failed', 'timeout', 'No position was found in time.'));
        else resolve(refused('failed', 'unavailable', 'The device could not find out where it is.'));
      },
      { enableHighAccuracy: high_accuracy ?? false, timeout: PATIENCE_MS, maximumAge: 0 },
    );
  });
