/** A real relay, an agent and devices on client/core, each behind a network of its own, and the history of what each of them saw. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Participant } from '../../src/protocol/envelope.ts';
import type { Clock } from '../../client/core/clock.ts';
import { Connection } from '../../client/core/connection.ts';
import type { Introduction } from '../../client/core/connection-options.ts';
import { FileCursorStore } from '../../client/core/cursor-file.ts';
import { RelayHttp } from '../../client/core/http.ts';
import { FileOutboxStore } from '../../client/core/outbox-file.ts';
import { NodeWebSocket } from '../../client/core/websocket-node.ts';
import { History, type Observer } from '../history-checker.ts';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';
import { FaultyNetwork } from './faulty-network.ts';

/** A clock on which time runs faster, so that the client's deadlines need no minutes. */
export function fastClock(factor: number): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * factor,
    after(ms, fn) {
      const timer = setTimeout(fn, ms / factor);
      return () => clearTimeout(timer);
    },
  };
}

/** Waits until something is so. @throws Error naming it, when it does not become so in time */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Who takes part, and how it gets in. */
interface Pass {
  self: Participant;
  token: string;
  hello: Introduction;
}

/** A participant of the conversation. */
export class Player {
  readonly self: Participant;
  readonly network: FaultyNetwork;
  readonly observer: Observer;
  readonly connection: Connection;
  readonly http: RelayHttp;
  readonly faults: unknown[] = [];
  /** Ids of messages that were refused, whatever became of them. */
  readonly refusals: string[] = [];
  connections = 0;
  readonly #history: History;
  #made = 0;
  #streaming = false;

  constructor(pass: Pass, { network, history, conversationId, folder, clock }: PlayerPlace) {
    this.self = pass.self;
    this.network = network;
    this.#history = history;
    this.observer = history.observer(pass.self.id, pass.self);
    let { token } = pass;
    const credentials = { load: () => token, save: (fresh: string) => void (token = fresh) };
    this.http = new RelayHttp({ origin: network.origin, token: () => token });
    this.connection = new Connection({
      relay: network.origin,
      conversationId,
      self: pass.self,
      credentials,
      hello: pass.hello,
      start: 'oldest',
      WebSocket: NodeWebSocket,
      outbox: new FileOutboxStore(join(folder, `${pass.self.id}.outbox`)),
      cursor: new FileCursorStore(join(folder, `${pass.self.id}.cursor`)),
      ...(clock && { clock }),
    });
    this.connection.on('message', (frame) => this.observer.receives(frame));
    this.connection.on('gap', ({ oldest_seq }) => this.observer.gap(oldest_seq));
    this.connection.on('welcome', () => (this.connections += 1));
    this.connection.on('fault', ({ error }) => this.faults.push(error));
    this.connection.on('storage', ({ error }) => this.faults.push(error));
    this.connection.on('sent', ({ entry, status }) => {
      if (status.state === 'relayed') history.acked(pass.self, entry.id, status.seq);
      if (status.state !== 'failed' || status.code === 'ack_timeout') return;
      this.refusals.push(`${entry.id} ${status.code}`);
      if (!status.retryable) history.refused(pass.self, entry.id, status.code);
    });
    this.connection.start();
  }

  /** Sends one text. */
  async say(content = ''): Promise<void> {
    const message = { id: `${this.self.id}-${++this.#made}`, type: 'text', payload: { content: `${this.#made} ${content}` } };
    this.#history.sends(this.self, message);
    await this.connection.send('text', message.payload, { id: message.id });
  }

  /** Sends texts until {@link hush}, `everyMs` apart. */
  async stream(everyMs: number): Promise<void> {
    this.#streaming = true;
    while (this.#streaming) {
      await this.say();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  hush(): void {
    this.#streaming = false;
  }

  /** The highest seq that it received. */
  get newest(): number {
    return this.observer.received.at(-1)?.frame.seq ?? 0;
  }
}

interface PlayerPlace {
  network: FaultyNetwork;
  history: History;
  conversationId: string;
  folder: string;
  clock: Clock | undefined;
}

/** Everything of one test. */
export class Stage {
  readonly relay: RelayProcess;
  readonly history = new History();
  readonly players: Player[] = [];
  readonly folder: string;
  readonly conversationId: string;
  readonly #agent: Pass;
  readonly #clock: Clock | undefined;

  private constructor(relay: RelayProcess, folder: string, conversationId: string, agent: Pass, clock: Clock | undefined) {
    this.relay = relay;
    this.folder = folder;
    this.conversationId = conversationId;
    this.#agent = agent;
    this.#clock = clock;
  }

  /** Starts a relay and enrols an agent. */
  static async set({ variables, clock }: { variables?: Record<string, string>; clock?: Clock } = {}): Promise<Stage> {
    const relay = new RelayProcess(variables);
    await relay.start();
    const { agent_id, conversation_id, token } = await RelayHttp.enrol(relay.origin, OWNER_KEY, { name: 'Agent' });
    const folder = await mkdtemp(join(tmpdir(), 'lineup-stage-'));
    const agent: Pass = { self: { kind: 'agent', id: agent_id }, token, hello: { name: 'Agent', agent: 'Test' } };
    return new Stage(relay, folder, conversation_id, agent, clock);
  }

  /** The agent's own HTTP calls, over a network without faults. */
  get http(): RelayHttp {
    return new RelayHttp({ origin: this.relay.origin, token: () => this.#agent.token });
  }

  agent(): Promise<Player> {
    return this.#enter(this.#agent);
  }

  /** Pairs a device and lets it in. */
  async device(name: string): Promise<Player> {
    return this.#enter(await this.pass(name));
  }

  /** Pairs a device. */
  async pass(name: string): Promise<Pass> {
    const { code } = await this.http.createPairing();
    const { device_id, token } = await RelayHttp.redeem(this.relay.origin, code, { name, platform: 'test' });
    return { self: { kind: 'app', id: device_id }, token, hello: { name, platform: 'test' } };
  }

  /** Waits until everything is sent and everybody has everything; then nothing may be wrong. @returns everything that is */
  async verdict(withinMs = 90_000): Promise<string[]> {
    for (const player of this.players) {
      player.hush();
      player.network.up();
      player.network.slow(0);
    }
    await until('every outbox is empty', () => this.players.every(({ connection }) => connection.outbox.length === 0), withinMs);
    await until(
      'everybody has everything',
      () => this.history.violations().every((violation) => !violation.includes('never received')),
      withinMs,
    ).catch(
      // What is missing is named below, by the history.
      () => undefined,
    );
    return [...this.history.violations(), ...this.players.flatMap(({ faults }) => faults.map(String))];
  }

  async strike(): Promise<void> {
    await Promise.all(this.players.map(({ connection }) => connection.close()));
    await Promise.all(this.players.map(({ network }) => network.close()));
    await this.relay.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #enter(pass: Pass): Promise<Player> {
    const network = await FaultyNetwork.to(() => new URL(this.relay.origin));
    const place = { network, history: this.history, conversationId: this.conversationId, folder: this.folder, clock: this.#clock };
    const player = new Player(pass, place);
    this.players.push(player);
    return player;
  }
}
