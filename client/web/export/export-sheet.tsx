/** Saving a conversation as a file: in which form, how far it is, what went wrong. Loaded when it is wanted. */
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../parts/contexts.ts';
import { saveBlob } from '../parts/save-file.ts';
import { Segments } from '../parts/segments.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useTroubleWords } from '../parts/use-trouble-words.ts';
import type { ConversationRow } from '../store/conversation-rows.ts';
import { troubleOf, type Trouble } from '../store/trouble.ts';
import type { About } from './about.ts';
import { asJson } from './as-json.ts';
import { asMarkdown } from './as-markdown.ts';
import { Gathering, type Gathered } from './gather.ts';

type Form = 'markdown' | 'json';

type State = { name: 'asking' } | { name: 'gathering'; gathered: Gathered } | { name: 'saved'; count: number } | { name: 'failed'; trouble: Trouble };

export default function ExportSheet({ row, open, onClose }: { row: ConversationRow; open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('export.title')} open={open} onClose={onClose}>
      <Exporter row={row} onClose={onClose} />
    </Sheet>
  );
}

function Exporter({ row, onClose }: { row: ConversationRow; onClose: () => void }) {
  const { t } = useTranslation();
  const words = useTroubleWords();
  const [form, setForm] = useState<Form>('markdown');
  const { state, begin, stop } = useExport(row, form);
  const gathering = state.name === 'gathering' ? state.gathered : null;
  const percent = gathering && Math.round(gathering.share * 100);
  const action = { asking: 'export.save', gathering: 'export.save', saved: 'export.again', failed: 'export.goOn' } as const;
  return (
    <div className="settings">
      <p>{t('export.lead')}</p>
      <Segments
        label={t('export.form')}
        name="form"
        options={[
          { value: 'markdown', label: t('export.markdown') },
          { value: 'json', label: t('export.json') },
        ]}
        value={form}
        onChange={setForm}
      />
      <p className="remark">{t('export.without')}</p>
      {gathering && (
        <div className="export-progress">
          <div className="bar" role="progressbar" aria-label={t('export.title')} aria-valuenow={percent ?? 0}>
            <span style={{ width: `${percent}%` }} />
          </div>
          <p className="remark numbers">{t('export.count', { count: gathering.count })}</p>
        </div>
      )}
      {state.name === 'failed' && (
        <p className="problem" role="alert">
          {words(state.trouble)}
          <br />
          {t('export.kept')}
        </p>
      )}
      {state.name === 'saved' && <p role="status">{t('export.saved', { count: state.count })}</p>}
      <div className="card-actions">
        <button type="button" className="button" onClick={gathering ? stop : onClose}>
          {t(state.name === 'saved' ? 'settings.close' : 'export.cancel')}
        </button>
        <button type="button" className="button primary" disabled={gathering !== null} onClick={() => void begin()}>
          {t(action[state.name])}
        </button>
      </div>
    </div>
  );
}

function useExport({ pairing, store, info }: ConversationRow, form: Form) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [state, setState] = useState<State>({ name: 'asking' });
  const gathering = useRef<Gathering | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const begin = async () => {
    const control = (running.current = new AbortController());
    const all = (gathering.current ??= new Gathering(store.readPage));
    setState({ name: 'gathering', gathered: { count: all.messages.length, share: 0 } });
    try {
      if (!(await all.run(control.signal, (gathered) => setState({ name: 'gathering', gathered })))) return;
    } catch (error) {
      if (!control.signal.aborted) setState({ name: 'failed', trouble: troubleOf(error) });
      return;
    }
    const { title, agent } = store.view.get();
    const about: About = {
      me: store.me,
      agent: { id: agent.id, name: agent.name },
      relay: pairing.relay,
      conversation: { id: info.conversation_id, title },
      exportedAt: new Date().toISOString(),
    };
    const text = form === 'json' ? asJson(all.messages, about) : asMarkdown(all.messages, about, { t, language });
    const name = [agent.name, title, about.exportedAt.slice(0, 10)].filter(Boolean).join(' ');
    saveBlob(new Blob([text], { type: form === 'json' ? 'application/json' : 'text/markdown' }), `${name}.${form === 'json' ? 'json' : 'md'}`);
    setState({ name: 'saved', count: all.messages.length });
  };
  const stop = () => {
    running.current?.abort();
    setState({ name: 'asking' });
  };
  return { state, begin, stop };
}
