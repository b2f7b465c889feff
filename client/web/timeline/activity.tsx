/** At the end of the timeline: how far the agent's run is, and that messages wait for an agent that is away. */
import { useTranslation } from 'react-i18next';
import { useConversationPart } from '../parts/contexts.ts';

export function Activity() {
  const { t } = useTranslation();
  const progress = useConversationPart((view) => view.progress);
  const agent = useConversationPart((view) => view.agent);
  const waiting = useConversationPart((view) => view.entries.some((entry) => entry.mine && entry.seq !== null && entry.seq > view.agent.received));
  if (progress) {
    const percent = progress.percent ?? undefined;
    return (
      <div className="activity" role="status">
        {progress.message && (
          <span dir="auto">
            {progress.message.slice(0, 500)}
            {percent !== undefined && <span className="numbers remark"> {Math.round(percent)} %</span>}
          </span>
        )}
        {percent !== undefined && (
          <div
            className="bar"
            role="progressbar"
            aria-label={progress.message ?? t('status.working')}
            aria-valuenow={percent}
            aria-valuemin={0}
            aria-valuemax={100}
          >
            <span style={{ width: `${percent}%` }} />
          </div>
        )}
      </div>
    );
  }
  if (agent.online === false && waiting) return <p className="activity remark">{t('agent.waits', { agent: agent.name })}</p>;
  return null;
}
