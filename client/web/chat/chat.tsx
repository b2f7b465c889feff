/** One conversation on the screen. */
import { useTranslation } from 'react-i18next';
import { Composer } from '../composer/composer.tsx';
import { useConversationPart } from '../parts/contexts.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { Stopped } from './stopped.tsx';
import { TopBar } from './top-bar.tsx';
import { Tray } from './tray.tsx';

export function Chat({ back, onMore }: { back: string | null; onMore: () => void }) {
  const { t } = useTranslation();
  const link = useConversationPart((view) => view.link);
  const durable = useConversationPart((view) => view.durable);
  return (
    <main className="chat">
      <TopBar back={back} onMore={onMore} />
      <Timeline />
      {!durable && <p className="composer-remark">{t('chat.memoryOnly')}</p>}
      <Tray />
      {link.name === 'stopped' ? <Stopped reason={link.reason} /> : <Composer />}
    </main>
  );
}
