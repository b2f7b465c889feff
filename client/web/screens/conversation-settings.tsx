/** What can be done with the conversation on the screen: its name, a copy of it, another one beside it, its end. */
import { useId, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp, useView } from '../parts/contexts.ts';
import { shownName } from '../parts/shown-name.ts';
import { useTroubleWords } from '../parts/use-trouble-words.ts';
import type { ConversationRow } from '../store/conversation-rows.ts';
import type { Trouble } from '../store/trouble.ts';
import { conversationHref } from './route.ts';
import { Irrevocable } from './irrevocable.tsx';

/** As many characters as the relay takes (§3). */
const LONGEST_TITLE = 256;

interface Props {
  row: ConversationRow;
  /** Leaves the sheet. */
  onClose: () => void;
  onExport: () => void;
  /** Whether the user was asked if it shall really be deleted. */
  asked: boolean;
  onAsk: (yes: boolean) => void;
}

export function ConversationSettings({ row, onClose, onExport, asked, onAsk }: Props) {
  const { t } = useTranslation();
  const app = useApp();
  const words = useTroubleWords();
  const agent = shownName(row.pairing.agent.name);
  const [beginning, setBeginning] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const begin = async () => {
    setBeginning(true);
    const made = await app.create(row.pairing);
    setBeginning(false);
    setTrouble(made.ok ? null : made.trouble);
    if (!made.ok) return;
    onClose();
    location.hash = conversationHref(made.key);
  };
  const remove = async () => {
    const refused = await app.remove(row.key);
    if (refused) return refused;
    onClose();
    location.replace('#/');
    return null;
  };
  return (
    <section className="settings-part" aria-label={t('settings.conversation')}>
      <Title row={row} />
      <div className="settings-actions">
        <button type="button" className="button quiet" aria-haspopup="dialog" onClick={onExport}>
          {t('export.open')}
        </button>
        <button type="button" className="button quiet" disabled={beginning} onClick={() => void begin()}>
          {t('settings.newWith', { agent })}
        </button>
        {trouble && (
          <p className="problem" role="alert">
            {words(trouble)}
          </p>
        )}
        <Irrevocable
          label={t('settings.delete')}
          verb={t('settings.deleteSure')}
          lead={t('settings.deleteLead', { agent })}
          asked={asked}
          onAsk={onAsk}
          onSure={remove}
        />
      </div>
    </section>
  );
}

function Title({ row }: { row: ConversationRow }) {
  const { t } = useTranslation();
  const app = useApp();
  const id = useId();
  const words = useTroubleWords();
  const title = useView(row.store.view).title ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);
  const [outcome, setOutcome] = useState<Trouble | 'saved' | null>(null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setSaving(true);
    const trouble = await app.rename(row.key, typed ?? title);
    setSaving(false);
    setOutcome(trouble ?? 'saved');
    if (!trouble) setTyped(null);
  };
  const changed = typed !== null && typed.trim() !== title;
  return (
    <form className="field" onSubmit={(event) => void save(event)}>
      <label className="field-label" htmlFor={id}>
        {t('settings.name')}
      </label>
      <div className="field-row">
        <input
          id={id}
          className="text-field"
          dir="auto"
          value={typed ?? title}
          placeholder={shownName(row.pairing.agent.name)}
          maxLength={LONGEST_TITLE}
          autoComplete="off"
          enterKeyHint="done"
          aria-describedby={`${id}-outcome`}
          onChange={(event) => {
            setTyped(event.target.value);
            setOutcome(null);
          }}
        />
        <button type="submit" className="button" disabled={!changed || saving}>
          {t('settings.rename')}
        </button>
      </div>
      <p id={`${id}-outcome`} className={outcome === null || outcome === 'saved' ? 'hidden-words' : 'problem'} role="status">
        {outcome === 'saved' ? t('settings.renamed') : outcome && words(outcome)}
      </p>
    </form>
  );
}
