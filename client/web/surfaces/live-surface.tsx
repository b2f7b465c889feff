/** A running surface on the page, or why it does not run any more. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { useConversation, useConversationPart, useView } from '../parts/contexts.ts';
import { KEEP_EVENT, keepFor, keptBy } from './bundles.ts';
import { contextOf, useContextText } from './context.ts';
import { appName } from './label.tsx';
import { surfacesPaused } from './pause.ts';
import type { Surface } from './shelf.ts';
import { SurfaceFrame, type Gone } from './surface-frame.ts';

interface LiveSurfaceProps {
  surface: Surface;
  bundle: Bundle;
  whole: boolean;
}

export function LiveSurface(props: LiveSurfaceProps) {
  const { t } = useTranslation();
  const paused = useView(surfacesPaused);
  const [gone, setGone] = useState<Gone | null>(null);
  if (paused) return <div className="surface-place" data-paused />;
  if (gone === null) return <Running {...props} onGone={setGone} />;
  return (
    <div className="surface-remark" role="alert">
      <p>{t(`surface.gone.${gone}`)}</p>
      <button type="button" className="button" onClick={() => setGone(null)}>
        {t('surface.again')}
      </button>
    </div>
  );
}

function Running({ surface, bundle, whole, onGone }: LiveSurfaceProps & { onGone: (why: Gone) => void }) {
  const { t } = useTranslation();
  const { id: conversationId, surfaces } = useConversation();
  const agent = useConversationPart((view) => view.agent.name);
  const context = useContextText(whole);
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<SurfaceFrame | null>(null);
  const [height, setHeight] = useState<number | null>(null);
  const { instanceId, app } = surface;
  // An app of this host's own came without code, and may keep something here.
  const own = app.html === undefined;
  const instance = `${conversationId}/${instanceId}`;
  const state = useMemo(() => ({ ...surface.state, ...(own && keptBy(app.id, instance)) }), [surface.state, own, app.id, instance]);
  const title = t('surface.frame', { name: appName(app), agent });
  // What it starts with; what changes later is told to it.
  const first = useRef({ state, context, title });
  first.current = { state, context, title };
  useEffect(() => {
    if (!place.current) return;
    const running = new SurfaceFrame(
      place.current,
      first.current.title,
      { bundle, state: first.current.state, context: contextOf(first.current.context) },
      {
        onEvent: (event, data) => (own && event === KEEP_EVENT ? keepFor(app.id, instance, data) : surfaces.event(instanceId, event, data)),
        onResize: setHeight,
        onGone,
      },
    );
    frame.current = running;
    return () => {
      frame.current = null;
      running.end();
    };
  }, [surfaces, instanceId, instance, own, app.id, bundle, onGone]);
  useEffect(() => frame.current?.setState(state), [state]);
  useEffect(() => frame.current?.setContext(contextOf(context)), [context]);
  return (
    <div className="surface-place" ref={place} style={height === null ? undefined : ({ '--surface-height': `${height}px` } as React.CSSProperties)} />
  );
}
