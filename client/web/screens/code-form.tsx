/** A pairing code or link, typed or pasted. */
import { useId, useState, type FormEvent, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { parsePairingInput } from '../../core/pairing.ts';
import { useApp } from '../parts/contexts.ts';
import { invitationOf } from '../store/invitation.ts';
import { followInvitation } from './follow-invitation.ts';

type Problem = Extract<ReturnType<typeof parsePairingInput>, { ok: false }>['reason'];

/** @param props.action the words on the button */
export function CodeForm({ action, field }: { action?: string; field: RefObject<HTMLInputElement | null> }) {
  const { t } = useTranslation();
  const app = useApp();
  const id = useId();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const go = (event: FormEvent) => {
    event.preventDefault();
    const input = parsePairingInput(text);
    if (input.ok) void followInvitation(app, invitationOf(input, location.origin));
    else setProblem(input.reason);
  };
  return (
    <form className="stack" onSubmit={go} noValidate>
      <div className="field">
        <label className="field-label" htmlFor={id}>
          {t('pair.field')}
        </label>
        <input
          id={id}
          ref={field}
          className="text-field code-field"
          placeholder={t('pair.placeholder')}
          value={text}
          autoComplete="off"
          autoCapitalize="characters"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="go"
          aria-invalid={problem !== null}
          aria-describedby={`${id}-problem`}
          onChange={(event) => {
            setText(event.target.value);
            setProblem(null);
          }}
        />
        <p className="problem" id={`${id}-problem`} role="alert">
          {problem && t(`pair.problem.${problem}`)}
        </p>
      </div>
      <button type="submit" className="button primary wide">
        {action ?? t('pair.next')}
      </button>
    </form>
  );
}
