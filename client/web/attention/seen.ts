/** Whether the user looks at any tab of this page: a hidden one need not tell what another one shows. */

/** Held, shared, by every tab that can be seen. */
const LOCK = 'lineup-seen';

/** Lets the other tabs know while this one can be seen. Browsers without locks know of no other tabs. */
export function holdWhileSeen(fault: (error: unknown) => void): void {
  if (!('locks' in navigator)) return;
  let release = (): void => undefined;
  const isVisible = () => document.visibilityState === 'visible';
  const look = () => {
    release();
    if (!isVisible()) return;
    navigator.locks
      .request(LOCK, { mode: 'shared' }, () => (isVisible() ? new Promise<void>((resolve) => (release = resolve)) : undefined))
      .catch((error: unknown) => isDenied(error) || fault(error));
  };
  document.addEventListener('visibilitychange', look);
  look();
}

/** Whether any tab can be seen now. */
export async function isSeenAnywhere(): Promise<boolean> {
  if (!('locks' in navigator)) return false;
  try {
    const { held } = await navigator.locks.query();
    return held?.some(({ name }) => name === LOCK) ?? false;
  } catch (error) {
    if (isDenied(error)) return false;
    throw error;
  }
}

/** The browser keeps nothing for this page, locks neither. */
function isDenied(error: unknown): boolean {
  return error instanceof DOMException;
}
