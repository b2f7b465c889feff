/** `input`: a text of the user's, in one line or several, hidden when it is a secret. */
import { useId, useState, type ChangeEvent, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';
import { plainVisible } from '../parts/visible-text.ts';
import { useIme } from '../parts/use-ime.ts';
import type { CardBodyProps } from './call-card.tsx';

/** Near the limit the user is told how much is left: below this share of it. */
const TELL_BELOW = 0.2;

export function InputBody({ arguments: args, sending, questionId, onAnswer }: CardBodyProps<'input'>) {
  const { t } = useTranslation();
  const hintId = useId();
  const [value, setValue] = useState(args.default ?? '');
  const [visible, setVisible] = useState(false);
  const { handlers, isPlainEnter } = useIme();
  const waiting = sending !== null;
  const left = args.max_length === undefined ? null : args.max_length - [...value].length;
  const over = left !== null && left < 0;
  const remark = left !== null && args.max_length !== undefined && (over || left <= args.max_length * TELL_BELOW);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!waiting && !over && value !== '') onAnswer({ tool: 'input', value });
  };
  const field = {
    className: 'text-field',
    'aria-labelledby': questionId,
    'aria-describedby': remark ? hintId : undefined,
    'aria-invalid': over,
    placeholder: plainVisible(args.placeholder ?? ''),
    value,
    disabled: waiting,
    dir: 'auto',
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => setValue(event.target.value),
    ...handlers,
  };
  const several = args.multiline === true && args.secret !== true;
  const button = (
    <button type="submit" className="button primary" disabled={waiting || over || value === ''}>
      {waiting ? t('call.sending') : t('call.send')}
    </button>
  );
  return (
    <form className="card-body" onSubmit={send}>
      {several ? (
        <textarea {...field} rows={4} />
      ) : (
        <div className="field-row">
          {oneLine()}
          {button}
        </div>
      )}
      <div className="card-foot">
        <span className={over ? 'card-hint problem-words' : 'card-hint'} id={hintId} role="status">
          {remark && (over ? t('call.over', { count: -left }) : t('call.left', { count: left }))}
        </span>
        {several && button}
      </div>
    </form>
  );

  function oneLine() {
    return (
      <div className="secret-field">
        <input
          {...field}
          type={args.secret && !visible ? 'password' : 'text'}
          autoComplete="off"
          autoCapitalize={args.secret ? 'none' : undefined}
          spellCheck={!args.secret}
          enterKeyHint="send"
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !isPlainEnter(event)) event.preventDefault();
          }}
        />
        {args.secret && (
          <button type="button" className="icon-button" aria-pressed={visible} aria-label={t('call.show')} onClick={() => setVisible(!visible)}>
            <Icon name={visible ? 'hidden' : 'eye'} />
          </button>
        )}
      </div>
    );
  }
}
