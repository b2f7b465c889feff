/**
 * Whatever the network does, and wherever the process dies: what was queued arrives once and in order, and what the others said is told
 * once and in order, or a gap is announced.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History, type Observer } from '../../test/history-checker.ts';
import type { Delivered } from '../../src/protocol/envelope.ts';
import { Connection } from './connection.ts';
import type { SentUpdate } from './connection-events.ts';
import type { ConnectionOptions } from './connection-options.ts';
import { MemoryCursorStore } from './cursor-store.ts';
import { MemoryOutboxStore } from './outbox-store.ts';
import { FakeClock, settle } from './testing/fake-clock.ts';
import { FakeRelay, type Line } from './testing/fake-relay.ts';
import { FakeSocket } from './testing/fake-socket.ts';
import { AGENT, CONVERSATION, SELF } from './testing/rig.ts';

type Step =
  | { do: 'send'; burst: number }
  | { do: 'post'; open: boolean }
  | { do: 'settle' }
  | { do: 'up' | 'down'; frames: number }
  | { do: 'zombie'; frames: number }
  | { do: 'open' | 'cut' | 'die' }
  | { do: 'wait'; ms: number }
  | { do: 'trim'; keep: number };

const step = (trims: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('send' as const), burst: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('post' as const), open: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('up' as const, 'down' as const), frames: fc.integer({ min: 1, max: 8 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('zombie' as const), frames: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('open' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cut' as const, 'die' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 500, 2_000, 11_000, 80_000) }) },
    ...(trims ? [{ weight: 1, arbitrary: fc.record({ do: fc.constant('trim' as const), keep: fc.integer({ min: 0, max: 5 }) }) }] : []),
  );

/** What one process of the device went through. */
class Process {
  readonly told = new Set<string>();
  readonly relayed = new Set<string>();
}

/** One device over the life of several processes, an agent whose network is perfect, and the relay between them. */
class World {
  readonly relay: FakeRelay;
  readonly history = new History();
  readonly device: Observer = this.history.observer('device', SELF);
  readonly outbox = new MemoryOutboxStore();
  readonly #cursor = new MemoryCursorStore({ epoch: 'e1', seq: 0 });
  readonly kept: string[] = [];
  readonly problems: string[] = [];
  clock = new FakeClock();
  connection!: Connection;
  process!: Process;
  #made = 0;

  constructor(ratePerS: number) {
    this.relay = new FakeRelay({ rate_per_s: ratePerS, burst: 3 });
    this.#begin();
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const next of steps) {
      await this.#take(next);
      await settle();
    }
  }

  /** The network recovers, and everyone has time. */
  async heal(): Promise<void> {
    for (let round = 0; round < 200; round++) {
      for (const line of this.relay.lines) {
        if (line.cut) line.up.length = 0;
        else this.#open(line);
        while (line.up.length > 0) this.relay.up(line);
        while (line.down.length > 0) this.relay.down(line);
      }
      await settle();
      if (this.connection.state.name === 'online' && this.connection.outbox.length === 0 && this.relay.lines.every(({ up }) => up.length === 0))
        return;
      await this.clock.advance(1_000);
    }
    throw new Error(`not healed: ${JSON.stringify(this.connection.state)}, ${this.connection.outbox.length} in the outbox`);
  }

  async #take(next: Step): Promise<void> {
    const line = this.relay.lines.at(-1);
    switch (next.do) {
      case 'send':
        for (let i = 0; i < next.burst; i++) this.#send();
        return;
      case 'post': {
        const message = { id: `agent${++this.#made}`, type: 'text', payload: { content: 'hi' } };
        this.history.sends(AGENT, message);
        const posted = this.relay.post(AGENT, message.id, message.payload);
        this.history.acked(AGENT, message.id, posted.seq ?? null);
        if (next.open) this.relay.open.add(posted);
        return;
      }
      case 'settle': {
        const [oldest] = this.relay.open;
        if (oldest) this.relay.open.delete(oldest);
        return;
      }
      case 'up':
      case 'down':
        if (line?.opened) for (let i = 0; i < next.frames; i++) this.relay[next.do](line);
        return;
      case 'zombie': {
        const zombie = this.relay.lines.find(({ cut, up }) => cut && up.length > 0);
        if (zombie) for (let i = 0; i < next.frames; i++) this.relay.up(zombie);
        return;
      }
      case 'open':
        if (line) this.#open(line);
        return;
      case 'cut':
        if (line && !line.cut) this.#cut(line);
        return;
      case 'die':
        for (const each of this.relay.lines) each.cut = true;
        this.#begin();
        return;
      case 'wait':
        return this.clock.advance(next.ms);
      case 'trim':
        this.relay.trim(next.keep);
        return;
    }
  }

  #open(line: Line): void {
    if (line.opened || line.cut) return;
    line.opened = true;
    line.socket.opens();
  }

  #cut(line: Line): void {
    line.cut = true;
    line.socket.breaks();
  }

  #send(): void {
    const message = { id: `dev${++this.#made}`, type: 'text', payload: { content: `${this.#made}` } };
    this.history.sends(SELF, message);
    // The process may die before it is kept: then nothing was promised.
    void this.connection.send('text', message.payload, { id: message.id }).then(() => this.kept.push(message.id));
  }

  #begin(): void {
    const { relay } = this;
    this.clock = new FakeClock();
    const process = new Process();
    this.process = process;
    const connection = new Connection({
      relay: 'https://relay.example',
      conversationId: CONVERSATION,
      self: SELF,
      credentials: { load: () => 't', save: () => undefined },
      hello: { name: 'Phone' },
      outbox: this.outbox,
      cursor: this.#cursor,
      WebSocket: function (url: string, protocols: string[]) {
        const socket = new FakeSocket(url, protocols);
        relay.dial(socket, SELF);
        return socket;
      } as unknown as NonNullable<ConnectionOptions['WebSocket']>,
      clock: this.clock,
      page: null,
    });
    this.connection = connection;
    connection.on('message', (frame) => this.#told(process, frame));
    connection.on('gap', ({ oldest_seq }) => this.device.gap(oldest_seq));
    connection.on('fault', ({ error }) => this.problems.push(String(error)));
    connection.on('sent', (update) => this.#updated(process, update));
    connection.start();
  }

  #told(process: Process, frame: Delivered): void {
    const key = `${'id' in frame.sender ? frame.sender.id : ''} ${frame.id}`;
    if (process.told.has(key)) this.problems.push(`${key} was told twice`);
    if (process.relayed.has(key)) this.problems.push(`${key} was told though it was sent here`);
    process.told.add(key);
    // A new process is told again what is open: it cannot know it.
    const before = this.device.received.some((other) => other.frame.id === frame.id);
    const restored = (frame.seq ?? 0) <= Math.max(0, ...this.device.received.map((other) => other.frame.seq ?? 0));
    if (before && !restored) this.problems.push(`${key} came twice in order`);
    if (!before) this.device.receives(frame, restored);
  }

  #updated(process: Process, { entry, status }: SentUpdate): void {
    const key = `${SELF.id} ${entry.id}`;
    if (status.state === 'relayed') {
      if (process.relayed.has(key)) this.problems.push(`${key} was relayed twice`);
      if (process.told.has(key)) this.problems.push(`${key} was told before it was relayed`);
      process.relayed.add(key);
      this.history.acked(SELF, entry.id, status.seq);
    }
    if (status.state === 'failed' && !status.retryable) this.history.refused(SELF, entry.id, status.code);
  }
}

async function play(steps: readonly Step[], ratePerS: number): Promise<World> {
  const world = new World(ratePerS);
  await settle();
  await world.run(steps);
  await world.heal();
  return world;
}

async function check(world: World): Promise<void> {
  expect(world.problems).toEqual([]);
  const own = world.relay.log.filter(({ sender }) => 'id' in sender && sender.id === SELF.id).map(({ id }) => id);
  expect(new Set(own).size).toBe(own.length);
  expect(own).toEqual(expect.arrayContaining(world.kept));
  // Ids count up in the order of sending.
  expect(own.map((id) => Number(id.slice(3)))).toEqual(own.map((id) => Number(id.slice(3))).sort((a, b) => a - b));
  for (const { id } of world.relay.open) expect([...world.process.told]).toContain(`${AGENT.id} ${id}`);
  expect(await world.outbox.open()).toEqual([]);
  expect(world.history.violations()).toEqual([]);
}

/** 0 is no limit; the other makes messages wait for their turn. */
const rates = fc.constantFrom(0, 2);

describe('under every sequence of faults', () => {
  it('everything queued arrives once and in order, everything said is told once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step(false), { maxLength: 80, size: 'max' }), rates, async (steps, rate) => {
        const world = await play(steps, rate);
        await check(world);
        expect(world.device.gaps).toEqual([]);
      }),
      { numRuns: 500 },
    );
  }, 120_000);

  it('what a trimmed log took is announced, and the rest still holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step(true), { maxLength: 80, size: 'max' }), rates, async (steps, rate) => check(await play(steps, rate))),
      { numRuns: 1_000 },
    );
  }, 120_000);
});
