/** `choice`: one tap answers; several are picked and sent together; the user's own words where the agent allows them. */
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';
import { useIme } from '../parts/use-ime.ts';
import type { CardBodyProps } from './call-card.tsx';
import { Lengthy } from './lengthy.tsx';

type Props = CardBodyProps<'choice'>;

export function ChoiceBody(props: Props) {
  return props.arguments.multiple ? <Several {...props} /> : <One {...props} />;
}

function One({ arguments: { options, allow_other }, sending, questionId, onAnswer }: Props) {
  const [tapped, setTapped] = useState<number | null>(null);
  const chosen = sendingOptions(sending);
  return (
    <>
      <div className="options" role="group" aria-labelledby={questionId}>
        {options.map((option, i) => {
          // The same words may be there twice; which of them was tapped is only known here, and enough to look right.
          const on = chosen !== null && (tapped === null ? chosen[0] === option : tapped === i);
          return (
            <Lengthy key={i} text={option}>
              {(words) => (
                <button
                  type="button"
                  className={`option${on ? ' chosen' : ''}${chosen ? ' waiting' : ''}`}
                  disabled={chosen !== null}
                  onClick={() => {
                    setTapped(i);
                    onAnswer({ tool: 'choice', selected: [option] });
                  }}
                >
                  <span className="option-sign">{on && <Icon name="check" />}</span>
                  <span dir="auto">{words}</span>
                </button>
              )}
            </Lengthy>
          );
        })}
      </div>
      {allow_other && <Other disabled={chosen !== null} onSend={(words) => onAnswer({ tool: 'choice', selected: [words] })} />}
    </>
  );
}

function Several({ arguments: { options, allow_other }, sending, questionId, onAnswer }: Props) {
  const { t } = useTranslation();
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  const [own, setOwn] = useState('');
  const waiting = sending !== null;
  const toggle = (i: number) => {
    const next = new Set(picked);
    if (!next.delete(i)) next.add(i);
    setPicked(next);
  };
  const selected = [...options.filter((_, i) => picked.has(i)), ...(own.trim() === '' ? [] : [own.trim()])];
  return (
    <>
      <div className="options" role="group" aria-labelledby={questionId}>
        {options.map((option, i) => (
          <Lengthy key={i} text={option}>
            {(words) => (
              <label className={`option${picked.has(i) ? ' chosen' : ''}${waiting ? ' waiting' : ''}`}>
                <input type="checkbox" checked={picked.has(i)} disabled={waiting} onChange={() => toggle(i)} />
                <span className="option-sign square">{picked.has(i) && <Icon name="check" />}</span>
                <span dir="auto">{words}</span>
              </label>
            )}
          </Lengthy>
        ))}
      </div>
      {allow_other && (
        <div className="other">
          <input
            className="text-field"
            aria-label={t('call.other')}
            placeholder={t('call.other')}
            value={own}
            disabled={waiting}
            onChange={(event) => setOwn(event.target.value)}
          />
        </div>
      )}
      <div className="card-foot">
        <span className="card-hint">{t('call.pickAny')}</span>
        <button
          type="button"
          className="button primary"
          disabled={waiting || selected.length === 0}
          onClick={() => onAnswer({ tool: 'choice', selected })}
        >
          {waiting ? t('call.sending') : t('call.send')}
        </button>
      </div>
    </>
  );
}

function Other({ disabled, onSend }: { disabled: boolean; onSend: (words: string) => void }) {
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  const { handlers, isPlainEnter } = useIme();
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (words.trim() !== '') onSend(words.trim());
  };
  return (
    <form className="other" onSubmit={send}>
      <input
        className="text-field"
        aria-label={t('call.other')}
        placeholder={t('call.other')}
        value={words}
        disabled={disabled}
        enterKeyHint="send"
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !isPlainEnter(event)) event.preventDefault();
        }}
        {...handlers}
      />
      <button type="submit" className="button" disabled={disabled || words.trim() === ''}>
        {t('call.send')}
      </button>
    </form>
  );
}

function sendingOptions(sending: Props['sending']): unknown[] | null {
  if (sending === null) return null;
  return Array.isArray(sending.selected) ? sending.selected : [];
}
