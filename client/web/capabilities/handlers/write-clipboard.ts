/** `clipboard.write`: exactly the shown text. */
import { NeedsTap, type Handler } from '../handler.ts';
import { completed, refused } from '../outcome.ts';

export const writeClipboard: Handler<'clipboard.write'> = async ({ text }) => {
  if (!document.hasFocus()) throw new NeedsTap();
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'NotAllowedError')) throw error;
    // Some browsers write only right after a tap.
    if (!navigator.userActivation.hasBeenActive || !navigator.userActivation.isActive) throw new NeedsTap();
    return refused('failed', 'permission_denied', 'The browser did not allow writing to the clipboard.');
  }
  return completed('clipboard.write', { written: true });
};
