/**
 * Judges what the participants of one conversation went through, from nothing but what each of them saw (§4, Guarantees).
 *
 * Every participant logs what it sent, what was acknowledged or refused, and what it received; then {@link History.violations} names
 * everything that contradicts the promises:
 *
 * - an acknowledged message reaches everyone that it concerns, or lies in an announced gap
 * - nobody receives what nobody sent, or other content than was sent
 * - no two of them disagree about a seq, and one message has one seq
 * - an observer receives seqs in rising order, and no message twice
 * - the messages of one sender have the order in which it sent them
 * - a call has at most one result, and one device shows its prompt at most once
 */
import type { Delivered, Participant } from '../src/protocol/envelope.ts';
import { canonicalJson, type JsonObject } from '../src/protocol/json.ts';

/** A logged message that somebody sent. */
interface SentMessage {
  by: string;
  id: string;
  type: string;
  content: string;
  /** Who should receive it: keys of participants. */
  audience: ReadonlySet<string> | undefined;
  acked: { seq: number | null } | null;
  refused: string | null;
}

/** What one observer went through. An observer is one client: a process that is started again with its cursor goes on being the same one. */
export class Observer {
  readonly name: string;
  readonly self: Participant;
  readonly received: { frame: Delivered; restored: boolean }[] = [];
  readonly gaps: number[] = [];
  readonly prompts = new Map<string, number>();
  /** The observer began to listen behind this seq. */
  readonly from: number;

  constructor(name: string, self: Participant, from: number) {
    this.name = name;
    this.self = self;
    this.from = from;
  }

  /** A new message reached the application. A restored one comes out of order: it says nothing about the order of the others. */
  receives(frame: Delivered, restored = false): void {
    this.received.push({ frame, restored });
  }

  /** Everything below `oldestSeq` may be missing. */
  gap(oldestSeq: number): void {
    this.gaps.push(oldestSeq);
  }

  /** The user was asked. */
  isAsked(callId: string): void {
    this.prompts.set(callId, (this.prompts.get(callId) ?? 0) + 1);
  }
}

/** The history of one conversation, as its participants saw it. */
export class History {
  readonly #sent = new Map<string, SentMessage>();
  readonly #order: SentMessage[] = [];
  readonly #observers: Observer[] = [];
  readonly #immediate: string[] = [];

  /**
   * A participant that listens.
   * @param from the seq behind which it began
   */
  observer(name: string, self: Participant, from = 0): Observer {
    const observer = new Observer(name, self, from);
    this.#observers.push(observer);
    return observer;
  }

  /** A participant sends a logged message. Sending it again, with the same id, is no second message. */
  sends(by: Participant, message: { id: string; type: string; payload: object }, audience?: readonly Participant[]): void {
    const key = keyOf(by, message.id);
    if (this.#sent.has(key)) return;
    const sent: SentMessage = {
      by: participantKey(by),
      id: message.id,
      type: message.type,
      content: contentOf(message.type, message.payload),
      audience: audience && new Set(audience.map(participantKey)),
      acked: null,
      refused: null,
    };
    this.#sent.set(key, sent);
    this.#order.push(sent);
  }

  /** The relay acknowledged a message. */
  acked(by: Participant, id: string, seq: number | null): void {
    const sent = this.#sent.get(keyOf(by, id));
    if (!sent) this.#immediate.push(`${keyOf(by, id)} was acknowledged but never sent`);
    else if (sent.refused !== null) this.#immediate.push(`${keyOf(by, id)} was acknowledged after it was refused (${sent.refused})`);
    else if (sent.acked && sent.acked.seq !== seq) this.#immediate.push(`${keyOf(by, id)} was acknowledged as ${sent.acked.seq} and as ${seq}`);
    else sent.acked = { seq };
  }

  /** The relay refused a message for good. */
  refused(by: Participant, id: string, code: string): void {
    const sent = this.#sent.get(keyOf(by, id));
    if (!sent) return;
    if (sent.acked) this.#immediate.push(`${keyOf(by, id)} was refused (${code}) after it was acknowledged`);
    sent.refused = code;
  }

  /**
   * Everything that is wrong; empty when every promise was kept.
   * @param complete whether everyone has had the time to receive everything
   */
  violations(complete = true): string[] {
    const found = [...this.#immediate, ...this.#disagreements(), ...this.#disorder(), ...this.#repeatedResults()];
    for (const observer of this.#observers) {
      found.push(...this.#inventions(observer), ...rising(observer), ...twice(observer));
      if (complete) found.push(...this.#losses(observer));
    }
    return found;
  }

  #losses(observer: Observer): string[] {
    const me = participantKey(observer.self);
    const has = new Set(observer.received.map(({ frame }) => frameKey(frame)));
    const readableFrom = Math.max(observer.from + 1, ...observer.gaps);
    return [...this.#sent.values()].flatMap((sent) => {
      const seq = sent.acked?.seq;
      if (typeof seq !== 'number' || seq < readableFrom || sent.by === me || sent.audience?.has(me) === false) return [];
      return has.has(`${sent.by} ${sent.id}`) ? [] : [`${observer.name} never received ${sent.by} ${sent.id}, acknowledged as ${seq}`];
    });
  }

  #inventions(observer: Observer): string[] {
    return observer.received.flatMap(({ frame }) => {
      if (frame.sender.kind === 'relay' || typeof frame.seq !== 'number') return [];
      const sent = this.#sent.get(frameKey(frame));
      if (!sent) return [`${observer.name} received ${frameKey(frame)}, which nobody sent`];
      if (sent.content !== contentOf(frame.type, frame.payload)) return [`${observer.name} received ${frameKey(frame)} with other content`];
      if (sent.refused !== null) return [`${observer.name} received ${frameKey(frame)}, which was refused (${sent.refused})`];
      if (sent.audience?.has(participantKey(observer.self)) === false)
        return [`${observer.name} received ${frameKey(frame)}, which was not meant for it`];
      return [];
    });
  }

  #disagreements(): string[] {
    const found: string[] = [];
    const bySeq = new Map<number, string>();
    const byKey = new Map<string, number>();
    const claim = (seq: number, key: string, who: string) => {
      const other = bySeq.get(seq);
      if (other !== undefined && other !== key) found.push(`${who}: seq ${seq} is ${key}, elsewhere it is ${other}`);
      const elsewhere = byKey.get(key);
      if (elsewhere !== undefined && elsewhere !== seq) found.push(`${who}: ${key} has seq ${seq}, elsewhere ${elsewhere}`);
      bySeq.set(seq, key);
      byKey.set(key, seq);
    };
    for (const sent of this.#sent.values()) if (typeof sent.acked?.seq === 'number') claim(sent.acked.seq, `${sent.by} ${sent.id}`, 'ack');
    for (const { name, received } of this.#observers) {
      for (const { frame } of received) if (typeof frame.seq === 'number') claim(frame.seq, frameKey(frame), name);
    }
    return found;
  }

  #disorder(): string[] {
    const last = new Map<string, SentMessage>();
    return this.#order.flatMap((sent) => {
      if (typeof sent.acked?.seq !== 'number') return [];
      const before = last.get(sent.by);
      last.set(sent.by, sent);
      const wrong = typeof before?.acked?.seq === 'number' && before.acked.seq > sent.acked.seq;
      return wrong ? [`${sent.by} sent ${before.id} before ${sent.id}, but their seqs are ${before.acked?.seq} and ${sent.acked.seq}`] : [];
    });
  }

  #repeatedResults(): string[] {
    const results = new Map<string, string>();
    return this.#observers.flatMap(({ name, received, prompts }) => [
      ...received.flatMap(({ frame }) => {
        if (frame.type !== 'tool.result' && frame.type !== 'lineup.v1.app.result') return [];
        const call = String(frame.payload.call_id);
        const known = results.get(call);
        results.set(call, frameKey(frame));
        return known === undefined || known === frameKey(frame) ? [] : [`${name}: call ${call} has two results, ${known} and ${frameKey(frame)}`];
      }),
      ...[...prompts].flatMap(([call, times]) => (times > 1 ? [`${name} showed the prompt of call ${call} ${times} times`] : [])),
    ]);
  }
}

function rising({ name, received }: Observer): string[] {
  let last = 0;
  return received.flatMap(({ frame, restored }) => {
    if (restored || typeof frame.seq !== 'number') return [];
    const before = last;
    last = Math.max(last, frame.seq);
    return frame.seq > before ? [] : [`${name} received seq ${frame.seq} after ${before}`];
  });
}

function twice({ name, received }: Observer): string[] {
  const seen = new Set<string>();
  return received.flatMap(({ frame }) => {
    if (typeof frame.seq !== 'number') return [];
    const known = seen.has(frameKey(frame));
    seen.add(frameKey(frame));
    return known ? [`${name} received ${frameKey(frame)} twice`] : [];
  });
}

function participantKey({ kind, id }: Participant): string {
  return `${kind}:${id}`;
}

function keyOf(by: Participant, id: string): string {
  return `${participantKey(by)} ${id}`;
}

function frameKey({ sender, id }: Delivered): string {
  return `${'id' in sender ? participantKey(sender) : sender.kind} ${id}`;
}

function contentOf(type: string, payload: object): string {
  return `${type} ${canonicalJson(payload as JsonObject)}`;
}
