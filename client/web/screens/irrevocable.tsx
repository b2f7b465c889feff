/** Something that cannot be undone: asked about once more, in place, and told when it did not work. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTroubleWords } from '../parts/use-trouble-words.ts';
import type { Trouble } from '../store/trouble.ts';

export interface IrrevocableProps {
  label: string;
  /** The same in one word, for the button that does it. */
  verb: string;
  /** What will be gone. */
  lead: string;
  asked: boolean;
  onAsk: (yes: boolean) => void;
  /** Does it. Null when it is done; trouble leaves everything as it was. */
  onSure: () => Promise<Trouble | null>;
}

export function Irrevocable({ label, verb, lead, asked, onAsk, onSure }: IrrevocableProps) {
  const { t } = useTranslation();
  const words = useTroubleWords();
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const sure = async () => {
    setBusy(true);
    setTrouble(await onSure());
    setBusy(false);
  };
  if (!asked) {
    return (
      <button type="button" className="button quiet-danger" onClick={() => onAsk(true)}>
        {label}
      </button>
    );
  }
  return (
    <div className="sure" role="group" aria-label={label}>
      <p>
        <b>{label}</b>
        <br />
        {lead}
      </p>
      {trouble && (
        <p className="problem" role="alert">
          {words(trouble)}
        </p>
      )}
      <div className="card-actions">
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => {
            setTrouble(null);
            onAsk(false);
          }}
        >
          {t('settings.keep')}
        </button>
        <button type="button" className="button danger" disabled={busy} onClick={() => void sure()}>
          {verb}
        </button>
      </div>
    </div>
  );
}
