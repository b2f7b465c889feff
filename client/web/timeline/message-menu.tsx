/** What can be done with a message: a menu at the pointer, a sheet where there is little room. */
import { useRef } from 'react';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { useTranslation } from 'react-i18next';
import { useChatDesk, type ChatDeskView } from '../chat/chat-desk.ts';
import { copyText } from '../parts/clipboard.ts';
import { useConversation, useView } from '../parts/contexts.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useWide } from '../parts/use-wide.ts';
import { markdownOf } from './message-markdown.ts';

interface Act {
  id: 'reply' | 'copy' | 'select' | 'again' | 'discard';
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
        {shown && !wide && <InSheet menu={shown} onClose={close} />}
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
  const acts = useActs(menu);
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
        <Menu
          className="menu"
          aria-label={t('menu.title')}
          autoFocus="first"
          onClose={onClose}
          onAction={(id) => acts.find((act) => act.id === id)?.run()}
        >
          {acts.map(({ id, icon }) => (
            <MenuItem key={id} id={id} className="menu-item" textValue={t(`menu.${id}`)}>
              <Icon name={icon} small />
              {t(`menu.${id}`)}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </>
  );
}

function InSheet({ menu, onClose }: Menued) {
  const { t } = useTranslation();
  const acts = useActs(menu);
  return (
    <div className="menu in-sheet">
      {acts.map(({ id, icon, run }) => (
        <button
          key={id}
          type="button"
          className="menu-item"
          onClick={() => {
            onClose();
            run();
          }}
        >
          <Icon name={icon} />
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
  const acts: (Act | false)[] = [
    failed && { id: 'again', icon: 'again', run: () => void store.resend(entry) },
    !failed && entry.seq !== null && { id: 'reply', icon: 'reply', run: () => desk.set({ replyTo: entry }) },
    text !== '' && { id: 'copy', icon: 'copy', run: () => void copyText(text) },
    text !== '' && matchMedia('(pointer: coarse)').matches && { id: 'select', icon: 'select', run: () => desk.set({ selecting: text }) },
    failed && { id: 'discard', icon: 'close', run: () => store.discard(entry.id) },
  ];
  return acts.filter((act) => act !== false);
}
