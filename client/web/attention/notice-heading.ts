/** Who a notice is from, or whom somebody needs and where, in our words. */
import type { TFunction } from 'i18next';
import type { Notice } from './notices.ts';
import { shownName } from '../parts/shown-name.ts';

export function noticeHeading({ kind, agent, place }: Pick<Notice, 'kind' | 'agent' | 'place'>, t: TFunction): string {
  const words = t(kind === 'need' ? 'notice.needs' : 'notice.from', { agent: shownName(agent) });
  return place === null ? words : `${words} · ${shownName(place)}`;
}
