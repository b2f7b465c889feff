/**
 * Where surfaces are shown: a dock beside the timeline where there is room, and, there or on a phone, the whole window for one of them.
 * One surface runs at a time, so that a page with many stays light and none can listen in on another.
 */
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useConversation, useView } from '../parts/contexts.ts';
import { useWide } from '../parts/use-wide.ts';
import { SurfacePanel } from './surface-panel.tsx';
import { useAlone, useBack } from './use-whole-window.ts';
import './surfaces.css';

export default function Stage() {
  const { t } = useTranslation();
  const { surfaces } = useConversation();
  const { open, active, whole } = useView(surfaces.view);
  const wide = useWide();
  const stage = useRef<HTMLElement>(null);
  const filled = whole && open.some(({ instanceId }) => instanceId === active);
  const shown = wide ? open.length > 0 : filled;
  useAlone(stage, filled);
  useBack(filled, () => (wide ? active !== null && surfaces.show(active) : active !== null && surfaces.leave(active)));
  if (!shown) return null;
  return (
    <aside className={filled ? 'stage whole' : 'stage'} aria-label={t('surface.dock')} ref={stage}>
      <div className="stage-scroll">
        {open.map((surface) => (
          <SurfacePanel
            key={surface.openId}
            surface={surface}
            active={surface.instanceId === active}
            whole={filled && surface.instanceId === active}
            wide={wide}
          />
        ))}
      </div>
    </aside>
  );
}
