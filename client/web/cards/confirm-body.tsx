/** `confirm`: two answers of the same size. */
import { useTranslation } from 'react-i18next';
import type { CardBodyProps } from './call-card.tsx';
import { Lengthy } from './lengthy.tsx';

/** Labels longer than this together stand one above the other. */
const SIDE_BY_SIDE = 28;

export function ConfirmBody({ arguments: { confirm_label, cancel_label, danger }, sending, onAnswer }: CardBodyProps<'confirm'>) {
  const { t } = useTranslation();
  const yes = confirm_label ?? t('call.yes');
  const no = cancel_label ?? t('call.no');
  const waiting = sending !== null;
  const label = (confirmed: boolean, words: string) => (sending?.confirmed === confirmed ? t('call.sending') : words);
  return (
    <div className={`card-body card-actions${yes.length + no.length > SIDE_BY_SIDE ? ' stacked' : ''}`}>
      <Lengthy text={label(false, no)}>
        {(words) => (
          <button type="button" className="button" disabled={waiting} onClick={() => onAnswer({ tool: 'confirm', confirmed: false })}>
            {words}
          </button>
        )}
      </Lengthy>
      <Lengthy text={label(true, yes)}>
        {(words) => (
          <button
            type="button"
            className={`button ${danger ? 'danger' : 'primary'}`}
            disabled={waiting}
            onClick={() => onAnswer({ tool: 'confirm', confirmed: true })}
          >
            {words}
          </button>
        )}
      </Lengthy>
    </div>
  );
}
