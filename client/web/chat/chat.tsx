/** One conversation on the screen. */
import { lazy, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Composer } from '../composer/composer.tsx';
import { useConversation, useConversationPart, useView } from '../parts/contexts.ts';
import { InstallHint } from '../parts/install-hint.tsx';
import { Part } from '../parts/part.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { ChatDesk, ChatDeskProvider, useFindKey } from './chat-desk.ts';
import { Stopped } from './stopped.tsx';
import { TopBar } from './top-bar.tsx';
import { Tray } from './tray.tsx';

const Stage = lazy(() => import('../surfaces/stage.tsx'));
const CanvasStage = lazy(() => import('../canvas/canvas-stage.tsx'));
const MessageMenu = lazy(() => import('../timeline/message-menu.tsx'));
const FindSheet = lazy(() => import('./find-sheet.tsx'));

export function Chat({ back, onMore }: { back: string | null; onMore: () => void }) {
  const { t } = useTranslation();
  const link = useConversationPart((view) => view.link);
  const durable = useConversationPart((view) => view.durable);
  // Whoever has talked here may want to come back.
  const ready = useConversationPart((view) => view.history.state === 'ready' && view.entries.length > 0);
  const [desk] = useState(() => new ChatDesk());
  const { menu, finding } = useView(desk.view);
  const menuUsed = useEver(menu !== null);
  const findUsed = useEver(finding);
  useFindKey(desk);
  const { surfaces, canvas } = useConversation();
  const { open } = useView(surfaces.view);
  const boards = useView(canvas.view);
  return (
    <ChatDeskProvider value={desk}>
      <main className="chat">
        <TopBar back={back} onMore={onMore} />
        <Timeline />
        {!durable && <p className="composer-remark">{t('chat.memoryOnly')}</p>}
        <Tray />
        {ready && <InstallHint />}
        {link.name === 'stopped' ? <Stopped reason={link.reason} /> : <Composer />}
      </main>
      {open.length > 0 && (
        <Part>
          <Stage />
        </Part>
      )}
      {boards && (
        <Part>
          <CanvasStage desk={boards} />
        </Part>
      )}
      <Part>
        {menuUsed && <MessageMenu />}
        {findUsed && <FindSheet open={finding} />}
      </Part>
    </ChatDeskProvider>
  );
}

/** What was wanted once is kept, so that it can leave in its own time. */
function useEver(wanted: boolean): boolean {
  const ever = useRef(wanted);
  if (wanted) ever.current = true;
  return ever.current;
}
