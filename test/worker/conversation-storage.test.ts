/** What the object writes and what becomes of it when storage or code fails: counted and broken in the real SQLite of workerd. */
import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Log } from '../../src/conversation/log.ts';
import { Delivery } from '../../src/conversation/delivery.ts';
import { call, connect, UNKNOWN_CONVERSATION } from './getting-in-client.ts';
import { Client, REGIMES, Stage } from './conversation-stage.ts';

let stage: Stage;
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  stage.end();
});

const text = (content: string) => ({ content });

/** Lets `look` see each statement of every conversation from now on, before it runs. */
async function watchSql(look: (query: string) => void): Promise<{ rows: () => number; alarms: () => number }> {
  return await runInDurableObject(stage.stub, (_object, { storage }) => {
    const cursors: { rowsWritten: number }[] = [];
    const prototype = Object.getPrototypeOf(storage.sql) as SqlStorage;
    const exec = prototype.exec;
    vi.spyOn(prototype, 'exec').mockImplementation(function (this: SqlStorage, query: string, ...bindings: unknown[]) {
      look(query);
      const cursor = exec.call(this, query, ...bindings);
      cursors.push(cursor);
      return cursor;
    });
    const setAlarm = vi.spyOn(Object.getPrototypeOf(storage) as DurableObjectStorage, 'setAlarm');
    return { rows: () => cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0), alarms: () => setAlarm.mock.calls.length };
  });
}

describe('rows written', () => {
  it('are one for each text, and one more for 64 of them', async () => {
    stage = await Stage.open('none', 2);
    const { agent, devices } = stage;
    // The first message also sets the date on which the oldest will have to go.
    await agent.ok('text', text('first'));
    const { rows, alarms } = await watchSql(() => undefined);
    for (let i = 0; i < 60; i++) await agent.ok('text', text(`${i}`));
    expect(rows()).toBe(60);
    const burst = await Promise.all(Array.from({ length: 130 }, (_, i) => devices[0]!.send('text', text(`${i}`))));
    await devices[0]!.wait(({ payload }) => payload.ref === burst.at(-1));
    // 191 messages: two runs of 64 are full.
    expect([rows(), alarms()]).toEqual([190 + 2, 0]);
  });

  it('are none for what is ephemeral, for receipts, pings, repeats, refusals and pages of history', async () => {
    stage = await Stage.open('none', 1);
    const { agent, devices } = stage;
    const { id } = await agent.ok('text', text('x'));
    const { rows, alarms } = await watchSql(() => undefined);
    for (let i = 0; i < 20; i++) await agent.send('text.delta', { message_id: 'm', offset: i, delta: 'x' });
    await devices[0]!.send('system.received', { seq: 1 });
    await agent.ok('text', text('x'), { id });
    await agent.ask('text', text(''));
    await agent.ask('tool.cancel', { call_id: 'none' });
    await agent.sync();
    for (const path of ['messages', 'audit']) {
      await call('GET', `/v1/conversations/${agent.bearer.conversation}/${path}`, { bearer: agent.bearer.token });
    }
    expect([rows(), alarms()]).toEqual([0, 0]);
  });

  it('are none in a storm of reconnects, asleep or not', async () => {
    for (const regime of REGIMES) {
      stage = await Stage.open(regime, 3);
      await stage.agent.ok('text', text('x'));
      for (const device of stage.devices) {
        await device.send('system.received', { seq: 1 });
        await device.sync();
        device.leave();
      }
      await scheduler.wait(50);
      for (const device of stage.devices) await device.join();
      const { rows, alarms } = await watchSql(() => undefined);
      for (let i = 0; i < 10; i++) {
        await Promise.all(stage.devices.map((device) => device.join()));
        for (const device of stage.devices) device.leave();
        await stage.between();
      }
      await stage.agent.sync();
      expect([regime, rows(), alarms()]).toEqual([regime, 0, 0]);
      vi.restoreAllMocks();
      stage.end();
    }
  });

  it('happen for nobody that does not exist', async () => {
    stage = await Stage.open('none', 1);
    const { bearer } = stage.agent;
    const before = (await listDurableObjectIds(env.CONVERSATIONS)).length;
    for (const id of [UNKNOWN_CONVERSATION, `cv_${'b'.repeat(60)}`, 'x', 'cv_', '%00']) {
      for (const [method, path] of [
        ['GET', 'messages'],
        ['POST', 'messages'],
        ['POST', 'files'],
        ['GET', 'audit'],
        ['GET', `files/fl_${'a'.repeat(24)}`],
      ] as const) {
        expect((await call(method, `/v1/conversations/${id}/${path}`, { bearer: bearer.token, ...(method === 'POST' && { body: {} }) })).status).toBe(
          404,
        );
      }
      expect((await (await connect(id, bearer.token)).closed).code).toBe(4404);
    }
    expect((await listDurableObjectIds(env.CONVERSATIONS)).length).toBe(before);
    // Even an object that somebody reached would store nothing.
    const stub = env.CONVERSATIONS.getByName(UNKNOWN_CONVERSATION);
    await stub.tell({ kind: 'deleted' });
    expect(await stub.post(bearer, '{}')).toMatchObject({ ok: false, error: { code: 'not_found' } });
    const tables = await runInDurableObject(stub, (_object, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '_cf%'").toArray(),
    );
    expect(tables).toEqual([]);
  });

  it('are all gone with a deleted conversation', async () => {
    stage = await Stage.open('none', 1);
    const { agent } = stage;
    await agent.ok('tool.call', { name: 'choice', call_id: 'c', arguments: {} });
    const { stub } = stage;
    await call('DELETE', `/v1/conversations/${agent.bearer.conversation}`, { bearer: agent.bearer.token });
    expect(await agent.closed()).toBe(4404);
    await runInDurableObject(stub, async (_object, { storage }) => {
      expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '_cf%'").toArray()).toEqual([]);
      expect(await storage.getAlarm()).toBeNull();
    });
  });
});

describe('when storage fails', () => {
  it.each([
    ['is full', 'database or disk is full: SQLITE_FULL', 'storage_full'],
    ['breaks', 'disk I/O error: SQLITE_IOERR', 'internal'],
  ])('%s, a message is refused and may come again; reads and ephemeral frames go on', async (_what, words, code) => {
    stage = await Stage.open('none', 1);
    const { agent, devices } = stage;
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await agent.ok('text', text('before'));
    let broken = true;
    await watchSql((query) => {
      if (broken && query.startsWith('INSERT INTO log ')) throw new Error(words);
    });
    const refused = await agent.ask('text', text('x'), { id: 'again' });
    expect(refused).toMatchObject({ ref: 'again', code, retryable: true });
    expect(await agent.ask('tool.call', { name: 'choice', call_id: 'c', arguments: {} })).toMatchObject({ code });
    const body = { v: 1, id: 'http', type: 'text', payload: text('x') };
    const overHttp = await call('POST', `/v1/conversations/${agent.bearer.conversation}/messages`, { bearer: agent.bearer.token, body });
    expect([overHttp.status, overHttp.json.error.code]).toEqual([code === 'internal' ? 500 : 503, code]);
    const delta = await agent.send('text.delta', { message_id: 'm', offset: 0, delta: 'x' });
    await devices[0]!.message(delta);
    expect((await call('GET', `/v1/conversations/${agent.bearer.conversation}/messages`, { bearer: agent.bearer.token })).json.messages).toHaveLength(
      1,
    );
    broken = false;
    expect(await agent.ok('text', text('x'), { id: 'again' })).toEqual({ id: 'again', seq: 2, duplicate: false });
    await devices[0]!.message('again');
    expect(devices[0]!.messages).toHaveLength(3);
    // Of the call nothing was left.
    await agent.ok('tool.call', { name: 'choice', call_id: 'c', arguments: { other: 1 } });
  });

  it('one bad message of a burst is refused alone', async () => {
    stage = await Stage.open('none', 1);
    const { agent, devices } = stage;
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const append = Log.prototype.append;
    vi.spyOn(Log.prototype, 'append').mockImplementation(function (this: Log, entry) {
      if (entry.envelope.payload.content === 'bad') throw new Error('a bug');
      return append.call(this, entry);
    });
    const sent: string[] = [];
    for (let i = 0; i < 20; i++) sent.push(await agent.send('text', text(i === 7 ? 'bad' : `${i}`)));
    for (const [i, id] of sent.entries()) {
      const { type, payload } = await agent.wait((frame) => frame.payload.ref === id);
      expect([type, payload.code]).toEqual(i === 7 ? ['system.error', 'internal'] : ['system.ack', undefined]);
    }
    await devices[0]!.message(sent.at(-1)!);
    expect(devices[0]!.messages).toEqual(sent.filter((_, i) => i !== 7));
  });
});

describe('when code fails', () => {
  it('no handler throws: the frame is answered, every socket stays, and nothing that came before is lost', async () => {
    stage = await Stage.open('none', 2);
    const { agent, devices } = stage;
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await agent.ok('text', text('before'));
    const route = vi.spyOn(Delivery.prototype, 'route').mockImplementation(() => {
      throw new Error('a bug with a SECRET');
    });
    await agent.send('progress', { run_id: 'r' });
    const { payload } = await agent.wait('system.error');
    expect(payload).toMatchObject({ code: 'internal', retryable: true });
    expect(String(payload.message)).not.toMatch(/SECRET|\n/);
    route.mockRestore();
    for (const client of [agent, ...devices]) await client.sync();
    const { id } = await agent.ok('text', text('after'));
    for (const client of devices) await client.message(id);
    expect(logged).toHaveBeenCalled();
  });

  it('a hello that fails leaves the others alone', async () => {
    stage = await Stage.open('none', 1);
    const { agent, devices } = stage;
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { prototype } = Log;
    vi.spyOn(prototype, 'head', 'get').mockImplementationOnce(() => {
      throw new Error('a bug');
    });
    const socket = await connect(agent.bearer.conversation, devices[0]!.bearer.token);
    socket.send({ type: 'system.hello', payload: { name: 'x', session: 's' } });
    await scheduler.wait(50);
    socket.end();
    vi.restoreAllMocks();
    for (const client of [agent, ...devices]) await client.sync();
  });

  it('an alarm that fails rings again', async () => {
    stage = await Stage.open('none', 1);
    const { agent } = stage;
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await agent.ok('tool.call', { name: 'choice', call_id: 'c', arguments: {}, expires_at: new Date(Date.now() + 60_000).toISOString() });
    let broken = true;
    await watchSql((query) => {
      if (broken && query.startsWith('INSERT INTO log ')) throw new Error('disk I/O error: SQLITE_IOERR');
    });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(await runDurableObjectAlarm(stage.stub)).toBe(true);
    expect(agent.of('tool.result')).toEqual([]);
    broken = false;
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await runDurableObjectAlarm(stage.stub)).toBe(true);
    expect(await agent.wait('tool.result')).toMatchObject({ payload: { call_id: 'c', error: { code: 'expired' } } });
  });
});

describe('as time goes by', () => {
  it.each(REGIMES)('messages are forgotten after 90 days, by the alarm (eviction %s)', async (regime) => {
    stage = await Stage.open(regime, 1);
    const { agent, devices } = stage;
    await agent.ok('text', text('old'));
    const app = { id: 'com.x.y', name: 'x', version: '1.0.0', html: '<p>' };
    const opened = await agent.ok('lineup.v1.ui.open', { instance_id: 'i', app, state: {} });
    await stage.between();
    const start = Date.now();
    // Every token is older than that in the end: the object itself is asked.
    const page = async () =>
      JSON.parse(await stage.stub.history(agent.bearer, { limit: 100 })) as { messages: { id: string }[]; oldest_seq: number; head_seq: number };
    vi.useFakeTimers({ toFake: ['Date'], now: start + 89 * 86_400_000 });
    await runDurableObjectAlarm(stage.stub);
    expect((await page()).messages).toHaveLength(2);
    vi.setSystemTime(start + 91 * 86_400_000);
    await runDurableObjectAlarm(stage.stub);
    expect(await page()).toMatchObject({ messages: [], oldest_seq: 3, head_seq: 2 });
    vi.useRealTimers();
    const late = await new Client(stage, devices[0]!.bearer).join({ resume: { epoch: agent.welcome!.epoch, seq: 0 } });
    expect(late.welcome).toMatchObject({ gap: true, resumed: false, oldest_seq: 3, head_seq: 2, surfaces: ['i'] });
    expect(late.messages).toEqual([opened.id]);
    late.leave();
  });

  it('a device that is silent for 75 s counts as away, and as back with its next frame', async () => {
    stage = await Stage.open('none', 2);
    const { agent, devices } = stage;
    const told = (online: boolean, from = 0) =>
      agent.wait(
        ({ type, payload }) =>
          type === 'system.presence' && payload.online === online && (payload.peer as { id: string }).id === devices[0]!.bearer.id,
        from,
      );
    await told(true);
    const start = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: start + 74_000 });
    await devices[1]!.sync();
    await agent.sync();
    expect(agent.of('system.presence').some(({ payload }) => payload.online === false)).toBe(false);
    vi.setSystemTime(start + 76_500);
    await agent.sync();
    const away = await told(false);
    expect(Date.parse(String(away.payload.last_seen))).toBeLessThan(start + 5_000);
    const from = agent.frames.length;
    await devices[0]!.sync();
    await told(true, from);
    expect(agent.of('system.presence').filter(({ payload }) => (payload.peer as { id: string }).id === devices[1]!.bearer.id)).toHaveLength(1);
  });
});
