/** `app.open_url`: a new tab that cannot reach back. */
import { NeedsTap, type Handler } from '../handler.ts';
import { completed } from '../outcome.ts';

export const openUrl: Handler<'app.open_url'> = ({ url }) => {
  // With `noopener` the browser would not tell whether it opened anything, so the way back is cut by hand before anything is loaded.
  const tab = window.open('about:blank');
  if (tab === null) return Promise.reject(new NeedsTap());
  tab.opener = null;
  tab.location.replace(url);
  return Promise.resolve(completed('app.open_url', { opened: true }));
};
