/** One prompt and everything that the agent does until it has answered: what the phone gets to see of it. */
import type { ContentBlock, Plan, SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Chat } from '../chat.ts';
import { shorten } from './labels.ts';
import { PushStream } from './push-stream.ts';

/** Tells who is there of an event. */
export type TellEvent = (event: string, data: JsonObject) => void;

/** Pause between two looks at the agent's thoughts, in ms: each of them is a message. */
const THOUGHT_PAUSE_MS = 1_000;
/** How long text that comes between two prompts is collected, in ms. */
const LATE_PAUSE_MS = 1_500;
const MAX_LATE_UNITS = 32_000;
const MAX_DETAIL_UNITS = 160;
const MAX_OUTPUT_UNITS = 4_000;

/** The answer of an agent while it grows. Updates are taken at once and shown in their order. */
export class Turn {
  readonly chat: Chat;
  readonly #tell: TellEvent;
  #segment: PushStream | null = null;
  /** Resolves when everything so far is shown. */
  #shown: Promise<unknown> = Promise.resolve();
  #thought = '';
  #thoughtAt = 0;
  readonly #titles = new Map<string, string>();
  #detail = '';
  #isEnded = false;
  /** Text that came after the end. */
  #late = '';

  constructor(chat: Chat, tell: TellEvent) {
    this.chat = chat;
    this.#tell = tell;
  }

  /** Takes one `session/update`. Kinds that say nothing to a phone are passed over. */
  update(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#content(update.content);
      case 'agent_thought_chunk':
        return this.#think(update.content);
      case 'tool_call':
        return this.#toolCall(update);
      case 'tool_call_update':
        return this.#toolCallUpdate(update);
      case 'plan':
        return this.#plan(update);
      default:
        return undefined;
    }
  }

  /** Says what is at hand now, until something else is. */
  status(detail: string): void {
    const short = shorten(detail.replace(/\s+/g, ' ').trim(), MAX_DETAIL_UNITS);
    if (short === '' || short === this.#detail || this.#isEnded) return;
    this.#detail = short;
    this.#show(() => this.chat.working(short));
  }

  /** The answer is complete. Rejects when a part of it could not be shown, or the user pressed stop. */
  async end(): Promise<void> {
    this.#endSegment();
    this.#isEnded = true;
    await this.#shown;
  }

  #content(content: ContentBlock): void {
    switch (content.type) {
      case 'text':
        return this.#text(content.text);
      case 'resource_link':
        return this.#text(`[${content.title ?? content.name}](${content.uri})`);
      case 'resource':
        return this.#text('text' in content.resource ? content.resource.text : `[${content.resource.uri}](${content.resource.uri})`);
      case 'image': {
        const { data, mimeType } = content;
        this.#endSegment();
        return this.#show(() => this.chat.image(new Uint8Array(Buffer.from(data, 'base64')), { mimeType, alt: 'An image by the agent' }));
      }
      case 'audio': {
        const { data, mimeType } = content;
        this.#endSegment();
        const name = `audio.${/^audio\/([a-z0-9]+)/.exec(mimeType)?.[1] ?? 'bin'}`;
        return this.#show(() => this.chat.file(new Uint8Array(Buffer.from(data, 'base64')), { name, mimeType }));
      }
      default:
        return undefined;
    }
  }

  #text(text: string): void {
    if (text === '') return;
    if (this.#isEnded) return this.#sayLate(text);
    const isFirst = this.#segment === null;
    if (!this.#segment) {
      // Models begin with empty lines after a tool call.
      if (text.trim() === '') return;
      const segment = (this.#segment = new PushStream());
      this.#show(() => this.chat.stream(segment));
    }
    this.#segment.push(isFirst ? text.trimStart() : text);
  }

  /** Agents that work in the background speak between two prompts, too: what they say is collected into one message. */
  #sayLate(text: string): void {
    if (this.#late === '') {
      setTimeout(() => {
        const late = this.#late;
        this.#late = '';
        this.#show(() => this.chat.say(late.slice(0, MAX_LATE_UNITS)));
      }, LATE_PAUSE_MS);
    }
    this.#late += text;
  }

  #think(content: ContentBlock): void {
    if (content.type !== 'text') return;
    this.#thought = (this.#thought + content.text).slice(-2_000);
    if (this.#segment || Date.now() - this.#thoughtAt < THOUGHT_PAUSE_MS) return;
    this.#thoughtAt = Date.now();
    // The sentence that is being thought says the most.
    this.status(this.#thought.trim().split(/\n+/).at(-1) ?? '');
  }

  #toolCall(call: ToolCall): void {
    this.#endSegment();
    this.#titles.set(call.toolCallId, call.title);
    this.#tell('agent:toolCallStart', {
      toolCallId: call.toolCallId,
      title: shorten(call.title, MAX_DETAIL_UNITS),
      ...(call.name && { name: call.name }),
      ...(call.kind && { kind: call.kind }),
    });
    this.status(call.title);
    if (call.status === 'completed' || call.status === 'failed') this.#toolCallUpdate(call);
  }

  #toolCallUpdate(call: ToolCallUpdate): void {
    if (call.title) this.#titles.set(call.toolCallId, call.title);
    const title = this.#titles.get(call.toolCallId) ?? call.toolCallId;
    if (call.status !== 'completed' && call.status !== 'failed') return call.title ? this.status(title) : undefined;
    const output = shorten(outputOf(call), MAX_OUTPUT_UNITS);
    this.#tell('agent:toolCallEnd', {
      toolCallId: call.toolCallId,
      title: shorten(title, MAX_DETAIL_UNITS),
      success: call.status === 'completed',
      ...(output !== '' && { output }),
    });
  }

  #plan({ entries }: Plan): void {
    const done = entries.filter(({ status }) => status === 'completed').length;
    const current = entries.find(({ status }) => status === 'in_progress') ?? entries.find(({ status }) => status === 'pending');
    if (entries.length > 0) this.status(`${done}/${entries.length}${current ? ` ${current.content}` : ''}`);
  }

  #endSegment(): void {
    this.#segment?.end();
    this.#segment = null;
  }

  #show(act: () => Promise<unknown>): void {
    this.#shown = this.#shown.then(act);
    // Told to whoever waits for the end of the turn.
    this.#shown.catch(() => undefined);
  }
}

function outputOf({ content }: ToolCallUpdate): string {
  const texts = (content ?? []).flatMap((part) => {
    if (part.type === 'content' && part.content.type === 'text') return [part.content.text];
    return part.type === 'diff' ? [part.path] : [];
  });
  return texts.join('\n');
}
