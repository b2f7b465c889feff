/** Who a notice is from, or whom it needs, in our words. */
import type { TFunction } from 'i18next';
import type { Notice } from '../capabilities/handler.ts';
import { capped, plainVisible } from '../capabilities/visible-text.ts';

/** Longer names are cut, in UTF-16 units. */
const MOST_NAME = 40;

export function noticeHeading({ kind, agent }: Pick<Notice, 'kind' | 'agent'>, t: TFunction): string {
  return t(kind === 'need' ? 'notice.needs' : 'notice.from', { agent: capped(plainVisible(agent), MOST_NAME) });
}
