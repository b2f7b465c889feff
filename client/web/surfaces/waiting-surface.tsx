/** A surface that waits for the user's word, in the tray. */
import { useWide } from '../parts/use-wide.ts';
import { SurfaceLabel } from './label.tsx';
import type { Surface } from './shelf.ts';
import { SurfaceQuestion } from './surface-question.tsx';
import { useVerdict } from './use-verdict.ts';
import './surfaces.css';

export default function WaitingSurface({ surface, onShow }: { surface: Surface; onShow: () => void }) {
  const verdict = useVerdict(surface);
  const wide = useWide();
  return (
    <div className="surface-card asking" data-waiting-surface={surface.instanceId}>
      <div className="surface-bar">
        <div className="surface-label">
          <SurfaceLabel app={surface.app} />
        </div>
      </div>
      {verdict?.is === 'asked' && <SurfaceQuestion surface={surface} bundle={verdict.bundle} hash={verdict.hash} whole={!wide} onShow={onShow} />}
    </div>
  );
}
