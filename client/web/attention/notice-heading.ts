/** Who a notice is from, or whom somebody needs and where, in our words. */
import type { TFunction } from 'i18next';
import type { Notice } from '../capabilities/handler.ts';
import { capped, plainVisible } from '../capabilities/visible-text.ts';

/** Longer names are cut, in UTF-16 units. */
const MOST_NAME = 40;

export function noticeHeading({ kind, agent, place }: Pick<Notice, 'kind' | 'agent' | 'place'>, t: TFunction): string {
  const words = t(kind === 'need' ? 'notice.needs' : 'notice.from', { agent: shown(agent) });
  return place === null ? words : `${words} · ${shown(place)}`;
}

function shown(name: string): string {
  return capped(plainVisible(name), MOST_NAME);
}
