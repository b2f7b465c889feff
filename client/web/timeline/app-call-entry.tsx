/** A capability that the agent asked for. This version has none. */
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { textField } from '../model/timeline.ts';
import { useConversationPart } from '../parts/contexts.ts';
import { QuietLine } from './quiet-line.tsx';

export function AppCallEntry({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const agent = useConversationPart((view) => view.agent.name);
  return <QuietLine icon="lock">{t('call.capability', { agent, capability: textField(entry.payload, 'capability') ?? '' })}</QuietLine>;
}
