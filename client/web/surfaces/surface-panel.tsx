/** One surface in the dock: the bar that the host draws, and under it what the agent sent, if it is the one on the screen. */
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useConversation } from '../parts/contexts.ts';
import type { Verdict } from './gate.ts';
import { appName, SurfaceLabel } from './label.tsx';
import { LiveSurface } from './live-surface.tsx';
import { PanelBar } from './panel-bar.tsx';
import type { Surface } from './shelf.ts';
import { SurfaceQuestion } from './surface-question.tsx';
import { useVerdict } from './use-verdict.ts';

export interface SurfacePanelProps {
  surface: Surface;
  active: boolean;
  whole: boolean;
  /** Whether there is a dock to go back to. */
  wide: boolean;
}

export function SurfacePanel({ surface, active, whole, wide }: SurfacePanelProps) {
  const { t } = useTranslation();
  const { surfaces } = useConversation();
  const bodyId = useId();
  const { instanceId, app } = surface;
  const name = appName(app);
  const verdict = useVerdict(active ? surface : null);
  return (
    <section
      className={`surface${active ? ' active' : ''}${verdict?.is === 'asked' ? ' asking' : ''}`}
      data-surface={instanceId}
      aria-label={t('surface.region', { name })}
    >
      <PanelBar
        label={whole ? <SurfaceLabel app={app} level={2} /> : <SurfaceLabel app={app} />}
        active={active}
        whole={whole}
        wide={wide}
        bodyId={bodyId}
        sizing={whole ? t('surface.smaller', { name }) : verdict?.is === 'shown' ? t('surface.whole', { name }) : null}
        closing={t('surface.close', { name })}
        onShow={(fill) => surfaces.show(instanceId, fill)}
        onLeave={() => surfaces.leave(instanceId)}
        onClose={() => surfaces.close(instanceId)}
      />
      {active && (
        <div className="surface-body" id={bodyId}>
          <SurfaceBody surface={surface} verdict={verdict} whole={whole} />
        </div>
      )}
    </section>
  );
}

function SurfaceBody({ surface, verdict, whole }: { surface: Surface; verdict: Verdict | null; whole: boolean }) {
  const { t } = useTranslation();
  switch (verdict?.is) {
    case undefined:
      return <div className="surface-place" />;
    case 'shown':
      return <LiveSurface surface={surface} bundle={verdict.bundle} whole={whole} />;
    case 'asked':
      return <SurfaceQuestion surface={surface} bundle={verdict.bundle} hash={verdict.hash} whole={whole} />;
    case 'refused':
      return (
        <p className="surface-remark" role="alert">
          {t(`surface.refused.${verdict.why}`, { id: surface.app.id, version: surface.app.version })}
        </p>
      );
  }
}
