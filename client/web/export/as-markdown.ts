/** A conversation as Markdown, for people: who said what and when, with edits applied and calls as what became of them. */
import type { TFunction } from 'i18next';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import { clockTime, fileSize, isSameDay, longDay } from '../i18n/format.ts';
import { isOpen, LOCAL_TYPES, type Call, type Entry } from '../model/entry.ts';
import { objectField, textField, Timeline } from '../model/timeline.ts';
import type { About } from './about.ts';
import { withoutSecrets } from './secrets.ts';

/** The words and the forms of a language. */
export interface Speech {
  t: TFunction;
  /** BCP 47 */
  language: string;
}

export function asMarkdown(messages: readonly Delivered[], about: About, speech: Speech): string {
  const { agent, relay, conversation, exportedAt, me } = about;
  const { t, language } = speech;
  const timeline = new Timeline(me);
  for (const message of withoutSecrets(messages)) timeline.apply(message);
  const parts = [
    `# ${inLine(conversation.title ? `${agent.name} · ${conversation.title}` : agent.name)}`,
    t('export.head', { relay: new URL(relay).host, time: `${longDay(exportedAt, language)} ${clockTime(exportedAt, language)}` }),
  ];
  let last: Entry | undefined;
  for (const entry of timeline.entries) {
    if (entry.type === LOCAL_TYPES.gap) continue;
    if (!last || !isSameDay(entry.ts, last.ts)) parts.push(`## ${longDay(entry.ts, language)}`);
    const speaker = entry.mine ? t('reply.you') : agent.name;
    const edited = entry.edited ? ` · ${t('message.edited')}` : '';
    parts.push(`**${inLine(speaker)}** · ${clockTime(entry.ts, language)}${edited}`, wordsOf(entry, speech));
    last = entry;
  }
  return `${parts.join('\n\n')}\n`;
}

/** Markdown of one entry; never empty. */
function wordsOf(entry: Entry, { t, language }: Speech): string {
  const { payload, type } = entry;
  if (payload.sealed !== undefined) return `_${t('message.sealed')}_`;
  switch (type) {
    case 'text': {
      const content = textField(payload, 'content') ?? '';
      return payload.format === 'plain' ? fenced(content) : content;
    }
    case 'image': {
      const name = inLine(textField(payload, 'alt') || t('image.one'));
      const url = textField(payload, 'url') ?? '';
      // An address at the relay opens for nobody without a token.
      const image = payload.file_id === undefined && url.startsWith('https://') ? `![${name}](<${url}>)` : `[${name}]`;
      return [image, textField(payload, 'caption')].filter(Boolean).join('\n\n');
    }
    case 'file':
      return `[${inLine(textField(payload, 'name') ?? '')}] · ${fileSize(typeof payload.size === 'number' ? payload.size : 0, language)}`;
    case 'error':
      return `**${t('message.error')}** · ${textField(payload, 'message') ?? ''}`;
    case 'tool.call':
      return asked(
        textField(objectField(payload, 'arguments'), 'question') ?? [payload.name, payload.action].filter(Boolean).join('.'),
        entry.call,
        t,
      );
    case 'lineup.v1.app.call':
      return asked([textField(payload, 'capability'), textField(payload, 'reason')].filter(Boolean).join(' · '), entry.call, t);
    case 'lineup.v1.ui.open':
      return `_${t('export.showed', { name: inLine(textField(objectField(payload, 'app'), 'name') ?? '') })}_`;
    case 'run.cancel':
      return `_${t('message.stopped')}_`;
    default:
      return `_${t('message.unknown', { type: inLine(type) })}_`;
  }
}

function asked(question: string, call: Call | null, t: TFunction): string {
  const ending = call && !isOpen(call) ? ENDINGS[call.status as keyof typeof ENDINGS] : undefined;
  if (!call || ending === undefined) return question;
  const result = call.answer && objectField(call.answer, 'result');
  const answer = result && (result.hidden === true ? t('call.secret') : textField(result, 'message'));
  return `${question}\n\n→ ${answer ? quiet(answer) : t(ending)}`;
}

/** Of a call that waits, or whose end this device was never told, there is nothing to say. */
const ENDINGS = {
  completed: 'call.answered',
  rejected: 'call.dismissed',
  cancelled: 'call.cancelled',
  expired: 'call.expired',
  unsupported: 'call.unsupported',
  failed: 'call.failed',
} as const;

/** A stranger's text inside of a line of ours: one line, and nothing in it that Markdown would act on. */
function inLine(text: string): string {
  return quiet(text).replaceAll(/[\\`*_[\]<>#|]/g, '\\$&');
}

function quiet(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** As it was written, between more backticks than there are in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
