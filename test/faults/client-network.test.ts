/** client/core against the real relay over networks that fail: nothing acknowledged is lost or doubled, everyone sees the same history. */
import { afterEach, describe, expect, it } from 'vitest';
import { fastClock, Stage, until } from './stage.ts';

let stage: Stage;
afterEach(() => stage.strike());

const NO_RATE = { LINEUP_RATE_PER_S: '0' };

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

describe('connections that are cut', () => {
  it('again and again, while everyone talks', async () => {
    stage = await Stage.set({ variables: NO_RATE });
    const [agent, phone, tablet] = [await stage.agent(), await stage.device('Phone'), await stage.device('Tablet')];
    void agent.stream(3);
    void phone.stream(5);
    void tablet.stream(7);
    for (let round = 0; round < 12; round++) {
      await pause(150);
      stage.players[round % 3]?.network.cut();
    }
    expect(await stage.verdict()).toEqual([]);
    expect(Math.min(...stage.players.map(({ connections }) => connections))).toBeGreaterThan(2);
  });

  it('for a while: what was written meanwhile is sent once, what was missed comes without asking', async () => {
    stage = await Stage.set({ variables: NO_RATE, clock: fastClock(10) });
    const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
    await until('online', () => phone.connection.state.name === 'online');
    phone.network.down();
    await until('waiting', () => phone.connection.state.name === 'waiting');
    for (let i = 0; i < 20; i++) await Promise.all([agent.say(), phone.say()]);
    expect(phone.connection.outbox).toHaveLength(20);
    phone.network.up();
    expect(await stage.verdict()).toEqual([]);
  });
});

describe('connections that die without a word', () => {
  it('are noticed by the one that waits for an ack, and nothing is lost or doubled', async () => {
    stage = await Stage.set({ variables: NO_RATE, clock: fastClock(20) });
    const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
    await until('online', () => phone.connection.state.name === 'online' && agent.connection.state.name === 'online');
    for (let round = 0; round < 3; round++) {
      phone.network.freeze();
      for (let i = 0; i < 10; i++) await Promise.all([phone.say(), agent.say()]);
      const before = phone.connections;
      await until('a new connection', () => phone.connections > before, 20_000);
    }
    expect(await stage.verdict()).toEqual([]);
  });

  it('are noticed by the one that only listens, after two missed pongs', async () => {
    stage = await Stage.set({ variables: NO_RATE, clock: fastClock(50) });
    const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
    await until('online', () => phone.connection.state.name === 'online');
    phone.network.freeze();
    for (let i = 0; i < 10; i++) await agent.say();
    await until('a new connection', () => phone.connections > 1, 20_000);
    expect(await stage.verdict()).toEqual([]);
  });

  it('leave no sockets behind', async () => {
    stage = await Stage.set({ variables: NO_RATE, clock: fastClock(50) });
    const phone = await stage.device('Phone');
    for (let round = 1; round <= 4; round++) {
      await until('online', () => phone.connections === round && phone.connection.state.name === 'online');
      phone.network.freeze();
      await until('a new connection', () => phone.connections > round, 20_000);
    }
    await until('the old sockets are gone', () => phone.network.lines === 1, 20_000);
  });
});

describe('slow lines', () => {
  it('deliver a long replay in order, without a new connection', async () => {
    stage = await Stage.set({ variables: NO_RATE });
    const agent = await stage.agent();
    for (let i = 0; i < 60; i++) await agent.say('x'.repeat(20_000));
    await until('sent', () => agent.connection.outbox.length === 0);
    const phone = await stage.device('Phone');
    phone.network.slow(150_000, 50);
    void phone.stream(300);
    await until('everything came', () => phone.observer.received.length === 60, 60_000);
    expect(phone.connections).toBe(1);
    expect(await stage.verdict()).toEqual([]);
  });

  it('with a small flow window still carry everything', async () => {
    stage = await Stage.set({ variables: { ...NO_RATE, LINEUP_WINDOW_BYTES: '100000' } });
    const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
    phone.network.slow(500_000, 20);
    for (let i = 0; i < 40; i++) await agent.say('x'.repeat(20_000));
    expect(await stage.verdict()).toEqual([]);
  });

  it('with 300 ms of delay connect and talk', async () => {
    stage = await Stage.set();
    const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
    agent.network.slow(0, 300);
    phone.network.slow(0, 300);
    for (let i = 0; i < 5; i++) await Promise.all([agent.say(), phone.say()]);
    expect(await stage.verdict()).toEqual([]);
  });
});

describe('limits', () => {
  it('of rate are kept without a refusal', async () => {
    stage = await Stage.set();
    const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
    await Promise.all(Array.from({ length: 350 }, () => phone.say()));
    await until('sent', () => phone.connection.outbox.length === 0);
    expect(phone.refusals).toEqual([]);
    expect(await stage.verdict()).toEqual([]);
    expect(agent.observer.received).toHaveLength(350);
  });

  it('of a low rate are kept across new connections', async () => {
    stage = await Stage.set({ variables: { LINEUP_RATE_PER_S: '20', LINEUP_BURST: '10' } });
    const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
    await Promise.all(Array.from({ length: 60 }, () => phone.say()));
    await pause(500);
    phone.network.cut();
    expect(await stage.verdict()).toEqual([]);
    expect(phone.refusals).toEqual([]);
    expect(agent.observer.received).toHaveLength(60);
  });
});
