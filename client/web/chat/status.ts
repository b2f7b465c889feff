/** The one line under the agent's name: what matters most right now, in words. */
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { moment } from '../i18n/format.ts';
import { useConversationPart, useLanguage } from '../parts/contexts.ts';
import { useSeconds } from '../parts/use-seconds.ts';
import type { ConversationView, LinkView } from '../store/conversation-view.ts';

/** How the line under the top bar looks (the words say the same). */
export type LineState = 'idle' | 'flowing' | 'offline' | 'need';

/** Offline comes before everything, since nothing else can be known then. */
export function lineState(view: Pick<ConversationView, 'link' | 'needs' | 'status' | 'flowing' | 'agent'>): LineState {
  if (view.link.name !== 'online') return 'offline';
  if (view.needs.length > 0) return 'need';
  if (view.agent.online !== false && (view.flowing || isRunning(view))) return 'flowing';
  return 'idle';
}

/** Whether a run is on, so that it can be stopped. */
export function isRunning(view: Pick<ConversationView, 'status' | 'flowing'>): boolean {
  return view.flowing || view.status?.state === 'thinking' || view.status?.state === 'working';
}

/** What the agent is doing; null when it rests. */
export function doingWords({ status, flowing }: Pick<ConversationView, 'status' | 'flowing'>, t: TFunction): string | null {
  if (status && status.state !== 'idle') return [t(`status.${status.state}`), status.detail?.slice(0, 120)].filter(Boolean).join(' · ');
  return flowing ? t('status.writing') : null;
}

/** The status line, and whether the agent is there (null: not known). */
export function useStatusWords(): { words: string; online: boolean | null } {
  const { t } = useTranslation();
  const language = useLanguage();
  const link = useConversationPart((view) => view.link);
  const wasOnline = useConversationPart((view) => view.wasOnline);
  const queued = useConversationPart((view) => view.queued);
  const agent = useConversationPart((view) => view.agent);
  const status = useConversationPart((view) => view.status);
  const flowing = useConversationPart((view) => view.flowing);
  const seconds = useSecondsSince(status?.since ?? null);

  if (link.name !== 'online') return { words: linkWords(link), online: null };
  if (agent.online === false) {
    return { words: agent.lastSeen ? t('agent.lastSeen', { time: moment(agent.lastSeen, language) }) : t('agent.offline'), online: false };
  }
  const doing = doingWords({ status, flowing }, t);
  if (doing !== null) {
    const timed = seconds && status && status.state !== 'idle' && status.state !== 'error';
    return { words: timed ? `${doing} · ${duration(seconds)}` : doing, online: true };
  }
  return { words: agent.online === null ? t('link.connecting') : t('agent.online'), online: agent.online };

  function linkWords(state: Exclude<LinkView, { name: 'online' }>): string {
    if (state.name === 'stopped') return t(`link.stopped.${state.reason}`);
    if (queued > 0) return t('link.offlineQueued', { count: queued });
    if (state.name === 'connecting') return wasOnline ? t('link.reconnecting') : t('link.connecting');
    return t('link.offline');
  }

  function duration(all: number): string {
    if (all < 60) return t('status.seconds', { count: all });
    return t('status.minutes', { minutes: Math.floor(all / 60), seconds: all % 60 });
  }
}

/** Whole seconds since a moment (ms), counted up while it lasts. */
function useSecondsSince(since: number | null): number | null {
  const seconds = useSeconds(since !== null);
  return since === null ? null : Math.max(0, seconds - Math.floor(since / 1_000));
}
