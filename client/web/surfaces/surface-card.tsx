/** A `ui.open` in the timeline: a card that brings the surface to the screen while it is open, a quiet line afterwards. */
import { useTranslation } from 'react-i18next';
import type { Entry } from '../model/entry.ts';
import { objectField, textField } from '../model/timeline.ts';
import { useConversation, useConversationPart, useView } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { useWide } from '../parts/use-wide.ts';
import { QuietLine } from '../timeline/quiet-line.tsx';
import { appName, SurfaceLabel } from './label.tsx';
import type { Surface } from './shelf.ts';
import { SurfaceQuestion } from './surface-question.tsx';
import { useVerdict } from './use-verdict.ts';
import './surfaces.css';

export default function SurfaceCard({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const { surfaces } = useConversation();
  const agent = useConversationPart((view) => view.agent.name);
  const surface = useView(surfaces.view).open.find(({ openId }) => openId === entry.id);
  if (surface) return <OpenSurface surface={surface} />;
  const app = objectField(entry.payload, 'app');
  const name = appName({ name: textField(app, 'name') ?? textField(app, 'id') ?? '' });
  return <QuietLine icon="window">{t('surface.closed', { agent, name })}</QuietLine>;
}

function OpenSurface({ surface }: { surface: Surface }) {
  const { t } = useTranslation();
  const { surfaces } = useConversation();
  const wide = useWide();
  const verdict = useVerdict(surface);
  const { active, declined } = useView(surfaces.view);
  const { instanceId, app } = surface;
  const asking = verdict?.is === 'asked' && !wide && !declined.has(surface.openId);
  const remark =
    verdict?.is === 'refused'
      ? t(`surface.refused.${verdict.why}`, { id: app.id, version: app.version })
      : wide && active === instanceId
        ? t(verdict?.is === 'asked' ? 'surface.waits' : 'surface.beside')
        : null;
  const bring = () => {
    surfaces.ask(instanceId);
    if (wide || verdict?.is === 'shown') surfaces.show(instanceId, !wide);
  };
  return (
    <div className={asking ? 'surface-card asking' : 'surface-card'} data-surface-card={instanceId}>
      <div className="surface-bar">
        {asking || verdict?.is === 'refused' ? (
          <div className="surface-label">
            <SurfaceLabel app={app} />
          </div>
        ) : (
          <button type="button" className="surface-label" disabled={verdict === null} onClick={bring}>
            <SurfaceLabel app={app} />
            {remark === null && <span className="surface-go">{t('surface.openIt')}</span>}
          </button>
        )}
        {verdict?.is === 'refused' && (
          <button
            type="button"
            className="icon-button"
            aria-label={t('surface.close', { name: appName(app) })}
            onClick={() => surfaces.close(instanceId)}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {asking && <SurfaceQuestion surface={surface} bundle={verdict.bundle} hash={verdict.hash} whole />}
      {remark !== null && <p className={verdict?.is === 'refused' ? 'surface-card-remark problem-words' : 'surface-card-remark'}>{remark}</p>}
    </div>
  );
}
