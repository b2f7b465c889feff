/** What an agent wants of the user, in one line. */
import type { TFunction } from 'i18next';
import { capabilityOf } from '../../../src/protocol/capabilities.ts';
import { textField } from '../model/timeline.ts';
import type { Need } from '../model/need.ts';
import { shownName } from '../parts/shown-name.ts';
import { entryWords } from '../parts/entry-words.ts';

/** @param agent its name, fit to be shown */
export function needWords(need: Need, agent: string, t: TFunction): string {
  if (need.kind === 'surface') return `${t('surface.ask', { agent })}: ${shownName(need.surface.app.name)}`;
  if (need.kind === 'question') return entryWords(need.entry, t);
  const capability = capabilityOf(textField(need.entry.payload, 'capability') ?? '');
  return capability === undefined ? t('capability.unknown') : t(`consent.title.${capability}`, { agent });
}
