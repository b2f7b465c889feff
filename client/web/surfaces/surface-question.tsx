/** In place of a surface that the user does not know yet: what it is, who sent it, and whether to show it. */
import { useTranslation } from 'react-i18next';
import { utf8Bytes } from '../../../src/protocol/json.ts';
import type { Bundle } from '../../../src/protocol/bundle.ts';
import { fileSize } from '../i18n/format.ts';
import { useConversation, useConversationPart, useLanguage } from '../parts/contexts.ts';
import { useAsleep } from '../parts/use-asleep.ts';
import { gate } from './gate.ts';
import type { Surface } from './shelf.ts';

/** So much of a hash can be compared by eye. */
const SHORT_HASH = 12;

interface QuestionProps {
  surface: Surface;
  bundle: Bundle;
  hash: string;
  /** With the whole window for it, once it is shown. */
  whole: boolean;
  /** Called before it is shown. */
  onShow?: () => void;
}

export function SurfaceQuestion({ surface, bundle, hash, whole, onShow }: QuestionProps) {
  const { t } = useTranslation();
  const { surfaces } = useConversation();
  const language = useLanguage();
  const agent = useConversationPart((view) => view.agent);
  const asleep = useAsleep<HTMLDivElement>();
  const { app, instanceId } = surface;
  const size = utf8Bytes(bundle.html) + utf8Bytes(bundle.css) + utf8Bytes(bundle.js);
  const show = async () => {
    await gate.agree(agent.id, app, hash);
    onShow?.();
    surfaces.show(instanceId, whole);
  };
  return (
    <div className="surface-question" ref={asleep}>
      <p className="surface-question-title">{t('surface.ask', { agent: agent.name })}</p>
      <p className="surface-question-lead">{t('surface.askLead', { agent: agent.name })}</p>
      <dl className="facts surface-facts">
        <dt>{t('surface.version')}</dt>
        <dd>{app.version}</dd>
        <dt>{t('surface.size')}</dt>
        <dd className="numbers">{fileSize(size, language)}</dd>
        <dt>{t('surface.hash')}</dt>
        <dd title={hash}>
          <code>{hash.replace('sha256-', '').slice(0, SHORT_HASH)}</code>
        </dd>
      </dl>
      <div className="card-actions">
        <button type="button" className="button" onClick={() => surfaces.decline(instanceId)}>
          {t('surface.notNow')}
        </button>
        <button type="button" className="button primary" onClick={() => void show()}>
          {t('surface.show')}
        </button>
      </div>
    </div>
  );
}
