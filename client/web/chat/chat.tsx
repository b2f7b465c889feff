/** One conversation on the screen. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Composer } from '../composer/composer.tsx';
import { useConversation, useConversationPart, useView } from '../parts/contexts.ts';
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
  useTitle();
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
        {link.name === 'stopped' ? <Stopped reason={link.reason} /> : <Composer />}
      </main>
      {open.length > 0 && (
        <Suspense>
          <Stage />
        </Suspense>
      )}
      {boards && (
        <Suspense>
          <CanvasStage desk={boards} />
        </Suspense>
      )}
      <Suspense>
        {menuUsed && <MessageMenu />}
        {findUsed && <FindSheet open={finding} />}
      </Suspense>
    </ChatDeskProvider>
  );
}

/** What was wanted once is kept, so that it can leave in its own time. */
function useEver(wanted: boolean): boolean {
  const ever = useRef(wanted);
  if (wanted) ever.current = true;
  return ever.current;
}

/** The tab says who it is, and how much needs the user, to whoever looks at another one. */
function useTitle(): void {
  const agent = useConversationPart((view) => view.agent.name);
  const needing = useConversationPart((view) => view.open.filter((entry) => entry.call?.status === 'pending').length);
  useEffect(() => {
    document.title = needing > 0 ? `(${needing}) ${agent}` : agent;
    return () => {
      document.title = 'LineUp';
    };
  }, [agent, needing]);
}
