/** `app.notify`: a notice in the page, which does nothing but say something. */
import type { Handler } from '../handler.ts';
import { completed, refused } from '../outcome.ts';

export const notify: Handler<'app.notify'> = ({ title, body = '' }, { show }) =>
  Promise.resolve(show({ title, body }) ? completed('app.notify', { shown: true }) : refused('failed', 'too_many', 'Too many notices wait already.'));
