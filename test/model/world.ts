/** The world in which the steps happen: one conversation, its clients, time, and all that may break. */
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Limits } from '../../src/protocol/limits.ts';
import { History } from '../history-checker.ts';
import { AGENT, Room, TABLET } from '../support/room.ts';
import type { Client } from './client.ts';
import { disagreements, flaws, missing } from './integrity.ts';
import type { Happening, Sending, Step, Who } from './steps.ts';
import { Traffic } from './traffic.ts';

const WHO: readonly Who[] = ['agent', 'phone', 'tab', 'tablet'];

/** One run. */
export class World {
  readonly history = new History();
  readonly room: Room;
  readonly #traffic: Traffic;
  readonly #problems: string[] = [];

  constructor(limits: Partial<Limits>) {
    this.room = new Room(limits);
    this.#traffic = new Traffic(this.room, this.history);
    for (const client of this.#clients) client.connect('all');
  }

  /** Lets the steps happen, then gives everyone the time to receive everything. @returns whatever is wrong */
  async run(steps: readonly Step[]): Promise<string[]> {
    for (const next of steps) {
      await this.#between(next);
      await this.#endTurn();
      if (this.#allProblems().length > 0) break;
    }
    await this.#heal();
    this.#problems.push(...this.history.violations().filter((violation) => !this.#traffic.mayBe(violation)), ...this.#finally());
    return this.#allProblems();
  }

  get #clients(): Client[] {
    return Object.values(this.#traffic.clients);
  }

  #allProblems(): string[] {
    const reports = this.room.reports.filter((report) => !(report instanceof Error && report.message === 'SQLITE_FULL'));
    return [...this.#problems, ...this.#traffic.problems, ...this.#clients.flatMap(({ problems }) => problems), ...reports.map(String)];
  }

  async #endTurn(): Promise<void> {
    await this.room.turn();
    for (const client of this.#clients) {
      client.read();
      client.expectAnswers();
    }
  }

  async #between(next: Step): Promise<void> {
    switch (next.do) {
      case 'burst':
        for (const each of next.of) this.#take(each);
        return;
      case 'flood':
        for (let i = 0; i < next.times; i++) this.#traffic.say(next.who, { content: `${i}` });
        return;
      case 'full':
        await this.#whileFull(next);
        return;
      case 'hibernate':
        this.#problems.push(...flaws(this.room), ...disagreements(this.room));
        this.room.hibernate();
        return;
      case 'pass':
        // What is resent after more than a day may be new to the relay.
        if (next.seconds > 40_000) this.#traffic.giveUp();
        this.room.pass(next.seconds * 1_000);
        return;
      case 'revoke':
        this.#revoke();
        return;
      default:
        this.#take(next);
    }
  }

  async #whileFull({ during, lasts }: Extract<Step, { do: 'full' }>): Promise<void> {
    const { sql } = this.room;
    const full = new Error('SQLITE_FULL');
    this.#traffic.failing = true;
    if (lasts) sql.failWith = full;
    else sql.failCommitWith = full;
    this.#take(during);
    await this.#endTurn();
    sql.failWith = sql.failCommitWith = undefined;
    this.#traffic.failing = false;
    this.#traffic.delay();
  }

  #take(next: Sending | Happening): void {
    const { clients } = this.#traffic;
    switch (next.do) {
      case 'connect':
        if (clients[next.who].isOut) return;
        clients[next.who].connect(next.memory, next.cancels && next.who === 'agent');
        this.#traffic.resend(next.who);
        return;
      case 'late hello':
        clients[next.who].lateHello();
        return;
      case 'cut':
        clients[next.who].cut();
        return;
      case 'deafen':
        clients[next.who].deafen();
        return;
      case 'look':
        this.room.conversation.flush();
        return;
      case 'crash':
        for (const client of this.#clients) client.read();
        this.room.crash();
        return;
      case 'received':
        clients[next.who].received(next.share);
        return;
      case 'stream':
        clients.agent.whisper('text.delta', { message_id: 'm', offset: 0, delta: 'x' });
        return;
      default:
        this.#traffic.send(next);
    }
  }

  #revoke(): void {
    const { tablet } = this.#traffic.clients;
    if (tablet.isOut) return;
    tablet.read();
    this.room.revoke(TABLET);
    this.#traffic.giveUp(TABLET);
    tablet.leave();
    if (tablet.isOpen) this.#problems.push('a revoked device kept its socket');
  }

  /** Everyone comes back, if it is not there, and reads until there is nothing left to read. */
  async #heal(): Promise<void> {
    const { clients } = this.#traffic;
    for (const who of WHO) {
      if (!clients[who].hears) this.#take({ do: 'connect', who, memory: 'all', cancels: false });
      await this.#endTurn();
    }
    let before = '';
    for (let round = 0; round < 400; round++) {
      for (const who of WHO) {
        // It fell behind what retention left.
        if (!clients[who].isOpen) this.#take({ do: 'connect', who, memory: 'all', cancels: false });
        this.#traffic.resend(who);
        clients[who].received();
      }
      await this.#endTurn();
      const now = JSON.stringify(this.#clients.map(({ socket }) => socket?.frames.length));
      if (now === before) return;
      before = now;
    }
    this.#problems.push('there is always more to read');
  }

  /** What has to be true in the end. */
  #finally(): string[] {
    const { unanswered } = this.#traffic;
    const found = [...flaws(this.room), ...disagreements(this.room)];
    if (unanswered.length > 0) found.push(`never answered: ${unanswered.join(', ')}`);
    for (const client of this.#clients) {
      if (client.isOut) continue;
      if (client.mind && client.hears) found.push(...missing(this.room, client), ...this.#wrongStatus(client));
      else found.push(`${client.self.id} is not there in the end`);
    }
    return found;
  }

  #wrongStatus({ self, status }: Client): string[] {
    if (self === AGENT) return [];
    const kept = this.room.ledger.declarations.statusFor(self.id);
    const now = kept === undefined ? 0 : (JSON.parse(kept) as { payload: { n: number } }).payload.n;
    const believed = (status as JsonObject | null)?.n ?? 0;
    const acknowledged = this.#traffic.status.get(self.id) ?? 0;
    return believed === now && now >= acknowledged ? [] : [`${self.id} believes in status ${String(believed)}, it is ${now}`];
  }
}
