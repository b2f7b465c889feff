/** A capability that an agent asked for, as one line: what, and how it ended. The question itself is a dialog. */
import { useTranslation } from 'react-i18next';
import { capabilityOf } from '../../../src/protocol/capabilities.ts';
import type { Entry } from '../model/entry.ts';
import { objectField, textField } from '../model/timeline.ts';
import { useConversationPart } from '../parts/contexts.ts';
import type { IconName } from '../parts/icon.tsx';
import { QuietLine } from '../timeline/quiet-line.tsx';
import { useElsewhere } from '../timeline/use-elsewhere.ts';

export function AppCallEntry({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const agent = useConversationPart((view) => view.agent.name);
  const { words, icon } = useEnd(entry);
  const capability = capabilityOf(textField(entry.payload, 'capability') ?? '');
  const what = capability ? t(`capability.${capability}`) : t('capability.unknown');
  return (
    <QuietLine icon={icon}>
      {t('capability.wanted', { agent, what })} <span className="outcome">· {words}</span>
    </QuietLine>
  );
}

function useEnd({ call }: Entry): { words: string; icon: IconName } {
  const { t } = useTranslation();
  const { where, dated } = useElsewhere(call);
  if (!call) return { words: '', icon: 'lock' };
  const code = textField(objectField(call.answer ?? {}, 'error'), 'code');
  switch (call.status) {
    case 'pending':
      return { words: t('capability.waits'), icon: 'lock' };
    case 'sending':
      return { words: t('call.sending'), icon: 'clock' };
    case 'completed':
      return { words: dated(where === null ? t('capability.done') : t('capability.doneElsewhere', { where })), icon: 'check' };
    case 'rejected':
      if (where !== null) return { words: dated(t('capability.declinedElsewhere', { where })), icon: 'close' };
      return { words: t(code === 'cool_down' ? 'capability.coolDown' : 'capability.declined'), icon: 'close' };
    case 'cancelled':
      return { words: dated(t(call.by?.kind === 'app' ? 'capability.dismissed' : 'call.cancelled')), icon: 'close' };
    case 'expired':
      return { words: dated(t('call.expired')), icon: 'clock' };
    case 'over':
      return { words: t('call.noLonger'), icon: 'clock' };
    case 'unsupported':
      return { words: t(code === 'revoked' ? 'capability.revoked' : 'call.unsupported'), icon: 'question' };
    case 'failed':
      return { words: t(code === 'unknown_outcome' ? 'capability.unknownOutcome' : 'call.failed'), icon: 'warning' };
  }
}
