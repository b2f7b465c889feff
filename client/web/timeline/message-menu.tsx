/** What can be done with a message: a menu at the pointer, a sheet where there is little room. */
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { Popover } from 'react-aria-components/Popover';
import { useTranslation } from 'react-i18next';
import { useChatDesk, type ChatDeskView } from '../chat/chat-desk.ts';
import { canTakeBack, takeBack } from '../composer/take-back.ts';
import { copyText } from '../parts/clipboard.ts';
import { useConversation, useView } from '../parts/contexts.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useWide } from '../parts/use-wide.ts';
import { markdownOf } from './message-markdown.ts';

interface Act {
  id: 'reply' | 'edit' | 'copy' | 'select' | 'again' | 'discard';
  icon: IconName;
  run: () => void;
}

export default function MessageMenu() {
  const { t } = useTranslation();
  const desk = useChatDesk();
  const { menu, selecting } = useView(desk.view);
  const wide = useWide();
  // What leaves still shows what it was about.
  const latest = useRef(menu);
  if (menu) latest.current = menu;
  const shown = latest.current;
  const close = () => desk.set({ menu: null });
  return (
    <>
      {shown && wide && <AtPointer menu={shown} open={menu !== null} onClose={close} />}
      <Sheet title={t('menu.title')} open={menu !== null && !wide} onClose={close}>
        {shown && !wide && <Acts menu={shown} onClose={close} />}
      </Sheet>
      <Sheet title={t('menu.select')} open={selecting !== null} onClose={() => desk.set({ selecting: null })}>
        <p className="selectable" dir="auto">
          {selecting}
        </p>
      </Sheet>
    </>
  );
}

type Menued = { menu: NonNullable<ChatDeskView['menu']>; onClose: () => void };

function AtPointer({ menu, open, onClose }: Menued & { open: boolean }) {
  const { t } = useTranslation();
  const point = useRef<HTMLSpanElement>(null);
  return (
    <>
      <span className="menu-point" ref={point} style={{ left: menu.x, top: menu.y }} />
      <Popover
        className="menu-popover"
        aria-label={t('menu.title')}
        triggerRef={point}
        isOpen={open}
        onOpenChange={(next) => !next && onClose()}
        placement="bottom start"
        offset={4}
      >
        <Acts menu={menu} onClose={onClose} />
      </Popover>
    </>
  );
}

/** The arrow keys go from one to the next, as in any menu. */
function stepOn({ key, currentTarget }: KeyboardEvent<HTMLElement>): void {
  const next = { ArrowDown: currentTarget.nextElementSibling, ArrowUp: currentTarget.previousElementSibling }[key];
  if (next instanceof HTMLElement) next.focus();
}

function Acts({ menu, onClose }: Menued) {
  const { t } = useTranslation();
  const acts = useActs(menu);
  const all = useRef<HTMLDivElement>(null);
  const pressed = useRef(false);
  useEffect(() => all.current?.querySelector('button')?.focus(), []);
  return (
    <div
      className="menu"
      ref={all}
      onPointerDownCapture={() => {
        pressed.current = true;
      }}
      onClickCapture={(event) => {
        // The finger whose long press opened the menu is lifted above it: that chooses nothing. A key's click has no detail.
        if (event.detail > 0 && !pressed.current) event.stopPropagation();
      }}
    >
      {acts.map(({ id, icon, run }) => (
        <button
          key={id}
          type="button"
          className="menu-item"
          onKeyDown={stepOn}
          onClick={() => {
            onClose();
            run();
          }}
        >
          <Icon name={icon} small />
          {t(`menu.${id}`)}
        </button>
      ))}
    </div>
  );
}

function useActs({ entry }: Menued['menu']): Act[] {
  const desk = useChatDesk();
  const store = useConversation();
  const text = markdownOf(entry);
  const failed = entry.failure !== null;
  const waiting = canTakeBack(store, entry);
  const acts: (Act | false)[] = [
    failed && { id: 'again', icon: 'again', run: () => void store.outgoing.resend(entry) },
    !failed && entry.seq !== null && { id: 'reply', icon: 'reply', run: () => desk.set({ replyTo: entry }) },
    waiting && { id: 'edit', icon: 'pencil', run: () => takeBack(store, desk, entry) },
    text !== '' && { id: 'copy', icon: 'copy', run: () => void copyText(text) },
    text !== '' && matchMedia('(pointer: coarse)').matches && { id: 'select', icon: 'select', run: () => desk.set({ selecting: text }) },
    (failed || waiting) && { id: 'discard', icon: 'close', run: () => store.outgoing.discard(entry.id) },
  ];
  return acts.filter((act) => act !== false);
}
