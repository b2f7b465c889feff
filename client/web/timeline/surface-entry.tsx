/** A surface that the agent opened. This version has none, and runs nothing of it. */
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { objectField, textField } from '../model/timeline.ts';
import { useConversationPart } from '../parts/contexts.ts';
import { QuietLine } from './quiet-line.tsx';

export function SurfaceEntry({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const agent = useConversationPart((view) => view.agent.name);
  const app = objectField(entry.payload, 'app');
  return (
    <QuietLine icon="window">{t('call.surface', { agent, name: (textField(app, 'name') ?? textField(app, 'id') ?? '').slice(0, 120) })}</QuietLine>
  );
}
