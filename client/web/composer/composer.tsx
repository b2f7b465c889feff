/** Where the user writes, attaches and stops. What is typed survives a reload; what is sent offline waits in the outbox. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useChatDesk } from '../chat/chat-desk.ts';
import { isRunning } from '../chat/status.ts';
import { wholeNumber } from '../i18n/format.ts';
import { useConversation, useConversationPart, useLanguage, usePreferences, useView } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { useIme } from '../parts/use-ime.ts';
import { useTroubleWords } from '../parts/use-trouble-words.ts';
import type { Trouble } from '../store/trouble.ts';
import { AttachmentChip } from './attachment-chip.tsx';
import { ReplyChip } from './reply-chip.tsx';
import { canTakeBack, takeBack } from './take-back.ts';
import { useFileDrop } from './use-file-drop.ts';

export function Composer() {
  const { t } = useTranslation();
  const language = useLanguage();
  const store = useConversation();
  const troubleWords = useTroubleWords();
  const agent = useConversationPart((view) => view.agent.name);
  const limit = useConversationPart((view) => view.limits.textCharacters);
  const offline = useConversationPart((view) => view.link.name !== 'online');
  const stoppable = useConversationPart((view) => view.link.name === 'online' && view.agent.online === true && isRunning(view));
  const [text, setText] = useState(() => store.draft.text);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const desk = useChatDesk();
  const { replyTo, takenBack } = useView(desk.view);
  const attachments = useView(store.attachments.view);
  const picker = useRef<HTMLInputElement>(null);
  const { handlers, isPlainEnter } = useIme();
  const { textSize } = useView(usePreferences().view);
  const field = useGrowing(text, textSize);
  useFileDrop(useCallback((files) => void store.attachments.add(files), [store]));
  useEffect(() => {
    // On a touch screen the keyboard would come up over what there is to read.
    if (matchMedia('(pointer: fine)').matches && document.querySelector('[role="dialog"], [role="alertdialog"]') === null) field.current?.focus();
  }, [field]);
  useEffect(() => void (replyTo && field.current?.focus()), [replyTo, field]);

  const over = characters(text, limit) - limit;
  const ready = attachments.every(({ state }) => state.name === 'ready');
  const empty = text.trim() === '' && attachments.length === 0;

  const type = (next: string) => {
    setText(next);
    setTrouble(null);
    store.draft.keep(next);
  };
  useEffect(() => {
    if (takenBack === null) return;
    desk.set({ takenBack: null });
    type(text === '' ? takenBack : `${takenBack}\n\n${text}`);
    field.current?.focus();
  });
  const send = async () => {
    if (empty || !ready || over > 0) return;
    const content = text.trim();
    // Emptied before anything is awaited: a second tap finds nothing to send.
    type('');
    for (const { id, file, state } of attachments) {
      if (state.name !== 'ready') continue;
      store.attachments.remove(id);
      setTrouble(await store.outgoing.file(state.info, file));
    }
    const refused = content === '' ? null : await store.outgoing.text(content, replyTo?.id);
    if (!refused) {
      desk.set({ replyTo: null });
      return;
    }
    type(content);
    setTrouble(refused);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && replyTo) desk.set({ replyTo: null });
    if (event.key === 'ArrowUp' && text === '') {
      const waiting = store.view.get().entries.findLast((entry) => canTakeBack(store, entry));
      if (waiting) takeBack(store, desk, waiting);
    }
    // On a touch screen Enter is the only way to begin a new line.
    if (!isPlainEnter(event) || matchMedia('(pointer: coarse)').matches) return;
    event.preventDefault();
    void send();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void store.attachments.add(files);
  };

  return (
    <footer className="composer">
      <div className="composer-column">
        {over > 0 && (
          <p className="problem composer-problem" role="alert">
            {t('composer.over', { count: over, allowed: wholeNumber(limit, language) })}
          </p>
        )}
        {trouble && (
          <p className="problem composer-problem" role="alert">
            {troubleWords(trouble)}
          </p>
        )}
        {offline && text.trim() !== '' && over <= 0 && <p className="composer-remark">{t('composer.waiting')}</p>}
        {replyTo && <ReplyChip entry={replyTo} onRemove={() => desk.set({ replyTo: null })} />}
        {attachments.length > 0 && (
          <div className="attachments">
            {attachments.map((attachment) => (
              <AttachmentChip
                key={attachment.id}
                attachment={attachment}
                onRemove={() => store.attachments.remove(attachment.id)}
                onAgain={() => void store.attachments.again(attachment)}
              />
            ))}
          </div>
        )}
        <div className="composer-row">
          <button type="button" className="icon-button" aria-label={t('composer.attach')} onClick={() => picker.current?.click()}>
            <Icon name="plus" />
          </button>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              void store.attachments.add([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
          <textarea
            ref={field}
            className="composer-field"
            rows={1}
            dir="auto"
            aria-label={t('composer.placeholder', { agent })}
            placeholder={t('composer.placeholder', { agent })}
            aria-invalid={over > 0}
            value={text}
            onChange={(event) => type(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            {...handlers}
          />
          {stoppable && empty ? (
            <button
              type="button"
              className="send-button stop"
              aria-label={t('composer.stop', { agent })}
              onClick={() => void store.outgoing.cancelRun()}
            >
              <Icon name="stop" />
            </button>
          ) : (
            <button
              type="button"
              className="send-button"
              aria-label={t('composer.send')}
              disabled={empty || !ready || over > 0}
              onClick={() => void send()}
            >
              <Icon name="up" />
            </button>
          )}
        </div>
      </div>
    </footer>
  );
}

/** Characters as the relay counts them; not counted one by one while the text is surely short enough. */
function characters(text: string, limit: number): number {
  return text.length <= limit ? text.length : [...text].length;
}

/** A field that grows with its text and with the size of it, up to what the styles allow. */
function useGrowing(text: string, textSize: string) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    const border = element.offsetHeight - element.clientHeight;
    element.style.height = `${element.scrollHeight + border}px`;
  }, [text, textSize]);
  return field;
}
