/** The number on the app's icon, where the system has such a thing. */

/** @param count none takes it away */
export async function showBadge(count: number): Promise<void> {
  if (!('setAppBadge' in navigator)) return;
  try {
    await (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge());
  } catch (error) {
    // The browser has badges, and this page may have none: it was not installed, or the user turned them off.
    if (!(error instanceof DOMException)) throw error;
  }
}
