/**
 * Where surfaces are shown: a dock beside the timeline where there is room, and, there or on a phone, the whole window for one of them.
 * One surface runs at a time, so that a page with many stays light and none can listen in on another.
 */
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useConversation, useView } from '../parts/contexts.ts';
import { useBackCloses } from '../parts/use-back-closes.ts';
import { useWide } from '../parts/use-wide.ts';
import { SurfacePanel } from './surface-panel.tsx';
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

/** What lies behind a surface with the whole window is out of reach, and gets the focus back afterwards. */
function useAlone(stage: React.RefObject<HTMLElement | null>, filled: boolean): void {
  useEffect(() => {
    const own = stage.current;
    if (!filled || !own) return;
    const before = document.activeElement;
    const others = [...(own.parentElement?.children ?? [])].filter((each): each is HTMLElement => each instanceof HTMLElement && each !== own);
    for (const other of others) other.inert = true;
    if (!own.contains(before)) own.querySelector<HTMLElement>('.surface.active .icon-button')?.focus();
    return () => {
      for (const other of others) other.inert = false;
      if (before instanceof HTMLElement && before.isConnected && !own.contains(before)) before.focus();
    };
  }, [stage, filled]);
}

/** The back button and Escape lead out of the whole window. */
function useBack(filled: boolean, leave: () => void): void {
  useBackCloses(filled, leave);
  const latest = useRef(leave);
  latest.current = leave;
  useEffect(() => {
    if (!filled) return;
    const ended = new AbortController();
    window.addEventListener('keydown', ({ key }) => key === 'Escape' && latest.current(), { signal: ended.signal });
    return () => ended.abort();
  }, [filled]);
}
