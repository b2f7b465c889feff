/** How a call ended, in words. */
import { useTranslation } from 'react-i18next';
import { isJsonObject } from '../../../src/protocol/json.ts';
import type { Entry } from '../model/entry.ts';
import { objectField, textField } from '../model/timeline.ts';
import type { IconName } from '../parts/icon.tsx';
import { useElsewhere } from './use-elsewhere.ts';

export interface Outcome {
  outcome: string;
  /** What the user answered, when it was on this device. */
  answer: string | null;
  icon: IconName;
}

export function useOutcome(entry: Entry): Outcome {
  const { t } = useTranslation();
  const { call, payload } = entry;
  const { where, dated } = useElsewhere(call);
  if (!call) return { outcome: '', answer: null, icon: 'question' };
  switch (call.status) {
    case 'pending':
    case 'sending':
      return { outcome: t('call.sending'), answer: null, icon: 'clock' };
    case 'completed': {
      const answer = call.answer && answerText(objectField(call.answer, 'result'));
      return { outcome: dated(where === null ? t('call.answered') : t('call.answeredElsewhere', { where })), answer, icon: 'check' };
    }
    case 'rejected':
      return { outcome: dated(where === null ? t('call.dismissed') : t('call.dismissedElsewhere', { where })), answer: null, icon: 'close' };
    case 'cancelled':
      return { outcome: dated(t('call.cancelled')), answer: null, icon: 'close' };
    case 'expired':
      return { outcome: dated(t('call.expired')), answer: null, icon: 'clock' };
    case 'over':
      return { outcome: t('call.noLonger'), answer: null, icon: 'clock' };
    case 'unsupported':
      return { outcome: t('call.unsupported'), answer: null, icon: 'question' };
    case 'failed':
      return { outcome: t('call.failed'), answer: null, icon: 'warning' };
  }

  function answerText(result: Record<string, unknown>): string | null {
    const args = objectField(payload, 'arguments');
    if (typeof result.confirmed === 'boolean') {
      const label = textField(args, result.confirmed ? 'confirm_label' : 'cancel_label');
      return label ?? (result.confirmed ? t('call.yes') : t('call.no'));
    }
    if (args.secret === true) return t('call.secret');
    const message = isJsonObject(result) ? textField(result, 'message') : undefined;
    return message === undefined ? null : message.slice(0, 500);
  }
}
