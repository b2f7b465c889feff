/** What the participants of a run send, what they are owed for it, and what they may not forget while they wait. */
import type { Participant } from '../../src/protocol/envelope.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { History } from '../history-checker.ts';
import { KINDS } from '../support/calls.ts';
import { AGENT, PHONE, TABLET, type Room, type Socket } from '../support/room.ts';
import { Client, type Answered } from './client.ts';
import type { Sending, To, Who } from './steps.ts';

/** Something that a participant sent, until it is acknowledged or refused for good. */
interface Sent {
  by: Participant;
  id: string;
  type: string;
  payload: JsonObject;
  target: JsonObject | undefined;
  /** The socket that brought it; null for HTTP. */
  carrier: Socket | null;
  /** How long the relay was sure to know it again: it forgets with the log. */
  headThen: number;
  seq: number | null | undefined;
  /** Storage was full when it came, so what was sent later may stand before it. */
  late?: boolean;
  /** Set on what is sent with content that differs from the first: it has to be refused. */
  forged?: boolean;
}

/** A call that was asked, for the steps that are about one. */
interface Asked {
  kind: keyof typeof KINDS;
  callId: string;
  message: Sent;
}

interface SendOptions {
  to?: To;
  target?: JsonObject;
  audience?: Participant[];
  http?: boolean;
  kept?: boolean;
}

const SHORT_MS = 60_000;
const LONG_MS = 6 * 86_400_000;
/** Types that the relay may answer as repeats of something else: another call, result or cancel of the same call. */
const REPEATABLE = new Set(['tool.call', 'lineup.v1.app.call', 'tool.result', 'lineup.v1.app.result', 'tool.cancel', 'lineup.v1.app.cancel']);
/** Types that compaction may take before everyone has them. */
const COMPACTABLE = new Set(['text.edit', 'lineup.v1.ui.patch']);
const STORAGE_CODES = ['storage_full', 'internal'];

const deviceOf = (to: To): Participant | undefined => ({ all: undefined, phone: PHONE, tablet: TABLET })[to];

/** Everything that is sent in one run. */
export class Traffic {
  readonly clients: Record<Who, Client>;
  readonly problems: string[] = [];
  /** The newest status for each device that the relay acknowledged. */
  readonly status = new Map<string, number>();
  /** Whether storage is full at the moment. */
  failing = false;
  readonly #room: Room;
  readonly #history: History;
  readonly #sent = new Map<string, Sent>();
  readonly #unacked: Sent[] = [];
  readonly #calls: Asked[] = [];
  readonly #texts: Sent[] = [];
  #made = 0;

  constructor(room: Room, history: History) {
    this.#room = room;
    this.#history = history;
    const client = (name: Who, self: Participant) => new Client(name, self, room, history, (from, answer) => this.#answered(from.self, answer));
    this.clients = { agent: client('agent', AGENT), phone: client('phone', PHONE), tab: client('tab', PHONE), tablet: client('tablet', TABLET) };
  }

  /** What is still waiting for its answer. */
  get unanswered(): string[] {
    return this.#unacked.map(({ id }) => id);
  }

  /** Sends no more of what a participant, or anybody, waits for. */
  giveUp(who?: Participant): void {
    for (const message of [...this.#unacked]) if (who === undefined || message.by === who) this.#unacked.splice(this.#unacked.indexOf(message), 1);
  }

  /** Storage was full when whatever waits now came: what is sent later may stand before it. */
  delay(): void {
    for (const message of this.#unacked) message.late = true;
  }

  /**
   * A participant's messages have the order in which it sent them; but what was refused, without its sender hearing of it, may be
   * accepted when it comes again: the state it depends on has changed, or there is room in storage again.
   */
  mayBe(violation: string): boolean {
    const [, by, first, second] = /:(\S+) sent (\S+) before (\S+),/.exec(violation) ?? [];
    const [a, b] = [first, second].map((id) => this.#sent.get(`${by} ${id}`));
    return a !== undefined && b !== undefined && (a.type !== 'text' || b.type !== 'text' || a.late === true);
  }

  /** Sends something. */
  send(next: Exclude<Sending, { do: 'received' | 'stream' }>): void {
    switch (next.do) {
      case 'say':
        this.say(next.who, { content: 'x'.repeat(next.size) }, next.who === 'agent' ? next.to : 'all', next.http);
        return;
      case 'again': {
        const message = this.#earlier(next.who, next.back);
        if (message) this.clients[next.who].send(message.id, message.type, message.payload, message.target);
        return;
      }
      case 'forge': {
        const message = this.#earlier(next.who, next.back);
        if (!message || !this.clients[next.who].isOpen) return;
        message.forged = true;
        this.clients[next.who].send(message.id, message.type, { ...message.payload, forged: true }, message.target);
        return;
      }
      case 'ask':
        this.#ask(next);
        return;
      case 'ask again': {
        const asked = this.#calls.at(-1 - next.back);
        if (!asked || !this.#isFresh(asked.message)) return;
        const { type, payload, target } = asked.message;
        this.#new('agent', type, payload, { ...(target && { target }), audience: [] });
        return;
      }
      case 'answer': {
        const { kind, callId } = this.#calls.at(-1 - next.back) ?? {};
        if (kind === undefined || callId === undefined) return;
        const payload = KINDS[kind].answer(callId, `${next.value}`);
        this.#new(next.who, KINDS[kind].result, payload, { audience: [AGENT], http: next.http });
        return;
      }
      case 'cancel': {
        const { kind, callId, message } = this.#calls.at(-1 - next.back) ?? {};
        if (kind === undefined || callId === undefined || !message) return;
        this.#new('agent', KINDS[kind].cancel, { call_id: callId }, { audience: this.#shownTo(message) });
        return;
      }
      case 'edit': {
        const text = this.#texts.at(-1 - next.back);
        if (text) this.#new('agent', 'text.edit', { message_id: text.id, content: 'y'.repeat(next.size) }, { audience: this.#shownTo(text) });
        return;
      }
      case 'status': {
        const n = ++this.#made;
        this.#new('agent', 'status', { state: 'working', n }, { to: next.to, kept: true });
        return;
      }
      case 'open':
      case 'patch':
      case 'close':
      case 'tap':
        this.#surface(next);
    }
  }

  #surface(next: Extract<Sending, { instance: To }>): void {
    const { instance } = next;
    const audience = this.#devices(instance);
    const payload = { instance_id: instance };
    if (next.do === 'open') {
      const app = { id: 'com.example.app', name: 'App', version: '1.0.0', html: '<p>' };
      this.#new('agent', 'lineup.v1.ui.open', { ...payload, app, state: { n: ++this.#made } }, { to: instance });
    } else if (next.do === 'patch') {
      this.#new('agent', 'lineup.v1.ui.patch', { ...payload, state: { n: ++this.#made, text: 'z'.repeat(next.size) } }, { audience });
    } else if (next.do === 'close') {
      this.#new('agent', 'lineup.v1.ui.close', payload, { audience });
    } else {
      this.#new(next.who, 'lineup.v1.ui.event', { ...payload, event: next.closes ? 'close' : 'tap', data: {} }, { audience: [AGENT] });
    }
  }

  #ask({ kind, to, within }: Extract<Sending, { do: 'ask' }>): void {
    const callId = `c${++this.#made}`;
    const expires_at = new Date(this.#room.now + { long: LONG_MS, short: SHORT_MS, past: 0 }[within]).toISOString();
    const message = this.#new('agent', KINDS[kind].call, KINDS[kind].asked(callId, { expires_at }), {
      to,
      ...(within === 'past' && { audience: [] }),
    });
    if (message) this.#calls.push({ kind, callId, message });
  }

  /** Says something. */
  say(who: Who, payload: JsonObject, to: To = 'all', http = false): void {
    const message = this.#new(who, 'text', { ...payload, n: ++this.#made }, { to, http });
    if (message && who === 'agent') this.#texts.push(message);
  }

  /** Sends something new; what its participant still waits for goes before it. */
  #new(
    who: Who,
    type: string,
    payload: JsonObject,
    { to = 'all', target, audience, http = false, kept = false }: SendOptions = {},
  ): Sent | undefined {
    const client = this.clients[who];
    if (client.isOut || (!client.isOpen && !http)) return undefined;
    // By HTTP nothing may overtake what waits for a socket.
    if (http && !client.isOpen && this.#unacked.some(({ by }) => by === client.self)) return undefined;
    this.resend(who);
    const device = deviceOf(to);
    const sent: Sent = {
      by: client.self,
      id: `m${++this.#made}`,
      type,
      payload,
      target: target ?? (device && { ...device }),
      carrier: http ? null : client.socket,
      headThen: this.#room.ledger.log.head,
      seq: undefined,
    };
    const meant = audience ?? (client.self === AGENT ? this.#devices(to) : [AGENT, TABLET, PHONE]);
    if (!kept) this.#history.sends(sent.by, sent, [...meant, sent.by]);
    this.#sent.set(`${sent.by.id} ${sent.id}`, sent);
    this.#unacked.push(sent);
    if (http) this.#post(sent);
    else client.sendFirst(sent.id, type, payload, sent.target);
    return sent;
  }

  #post({ by, id, type, payload, target }: Sent): void {
    const body = JSON.stringify({ v: 1, id, type, payload, ...(target && { target }) });
    void this.#room.conversation.post(by, body).then((answer) => {
      const code = answer.ok ? null : answer.error.code;
      this.#answered(by, { ref: id, seq: answer.ok ? answer.seq : null, duplicate: answer.ok && answer.duplicate, code });
    });
  }

  /** Whatever came by a connection that is gone is sent again, in the order in which it was sent. */
  resend(who: Who): void {
    for (const each of Object.values(this.clients)) each.read();
    const client = this.clients[who];
    const { head } = this.#room.ledger.log;
    for (const message of [...this.#unacked]) {
      if (message.by !== client.self) continue;
      const { carrier, payload } = message;
      if (head - message.headThen > this.#room.limits.retain_messages - 12 || this.#isLate(payload)) {
        // By now it may be new to the relay, or be another thing.
        this.#unacked.splice(this.#unacked.indexOf(message), 1);
      } else if (client.isOpen && (carrier === null || carrier.closedWith !== null || carrier.deaf) && carrier !== client.socket) {
        message.carrier = client.socket;
        client.send(message.id, message.type, payload, message.target);
      }
    }
  }

  #isLate({ expires_at }: JsonObject): boolean {
    return typeof expires_at === 'string' && Date.parse(expires_at) <= this.#room.now;
  }

  #answered(by: Participant, { ref, seq, duplicate, code }: Answered): void {
    const message = this.#sent.get(`${by.id} ${ref}`);
    if (!message) {
      if (code !== null) this.problems.push(`${ref} was refused: ${code}`);
      return;
    }
    if (code === 'id_conflict' && message.forged) return;
    if (code !== null && STORAGE_CODES.includes(code)) {
      if (!this.failing) this.problems.push(`${ref} was refused while storage was well: ${code}`);
      message.carrier = null;
      return;
    }
    const at = this.#unacked.indexOf(message);
    if (at !== -1) this.#unacked.splice(at, 1);
    if (code !== null) {
      if (message.type !== 'status') this.#history.refused(by, ref, code);
      return;
    }
    if (message.type === 'status') {
      this.#told(message);
      return;
    }
    const call = this.#calls.find(({ callId }) => callId === message.payload.call_id);
    if (by !== AGENT && call?.message.target && call.message.target.id !== by.id)
      this.problems.push(`${by.id} answered ${call.callId}, which was for another`);
    if (message.seq === undefined) message.seq = COMPACTABLE.has(message.type) || (duplicate && REPEATABLE.has(message.type)) ? null : seq;
    this.#history.acked(by, ref, message.seq === null ? null : seq);
  }

  #told({ target, payload }: Sent): void {
    for (const { id } of target === undefined ? [PHONE, TABLET] : [{ id: target.id as string }]) {
      this.status.set(id, Math.max(this.status.get(id) ?? 0, payload.n as number));
    }
  }

  /** A message of this client that was acknowledged, and that the relay cannot have forgotten. */
  #earlier(who: Who, back: number): Sent | undefined {
    const own = [...this.#sent.values()].filter((message) => message.by === this.clients[who].self && this.#isFresh(message));
    return own.at(-1 - back);
  }

  #isFresh({ seq }: Sent): boolean {
    return (
      typeof seq === 'number' && seq > this.#room.ledger.log.head - this.#room.limits.retain_messages + 12 && seq >= this.#room.ledger.log.oldest
    );
  }

  #devices(to: To): Participant[] {
    const device = deviceOf(to);
    return device ? [device] : [PHONE, TABLET];
  }

  #shownTo({ target, payload }: Sent): Participant[] {
    if (this.#isLate(payload)) return [];
    return target === undefined ? [PHONE, TABLET] : [target as unknown as Participant];
  }
}
