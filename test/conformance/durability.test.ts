/** §4 guarantees and §12: nothing acknowledged is lost by a kill, relays run side by side, and no text or secret gets into the output. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER_KEY } from '../support/relay-process.ts';
import { Relay, useRelay } from './people.ts';
import { freshId, type Answer, type Frame, type Joined } from './wire.ts';

const relay = useRelay();

/** Answers that came before the socket died. */
function answered(wire: Joined, ids: readonly string[]): Map<string, Answer> {
  const answers = wire.of('system.ack').map(({ payload }) => [String(payload.ref), { type: 'system.ack', ...payload } as unknown as Answer] as const);
  return new Map(answers.filter(([ref]) => ids.includes(ref)));
}

describe('§12 a killed relay', () => {
  it('has every message that it acknowledged, with the seq that it said, in the middle of a burst from both sides', async () => {
    for (let round = 0; round < 3; round++) {
      const { agent, devices, a, d } = await relay.room(1);
      const ids = { a: [] as string[], d: [] as string[] };
      const talk = (wire: Joined, mine: string[]) => {
        for (let i = 0; i < 2_000; i++) mine.push(wire.send('text', { content: `${i}` }));
      };
      talk(a, ids.a);
      talk(d[0]!, ids.d);
      await a.until('many acks', () => a.of('system.ack').length > 300 * (round + 1) || undefined);
      await relay.process.end('SIGKILL');
      await Promise.all([a.closed, d[0]!.closed]);
      await relay.process.start();
      const log = new Map((await relay.history(agent)).map((frame) => [frame.id, frame]));
      let acked = 0;
      for (const [wire, mine] of [
        [a, ids.a],
        [d[0]!, ids.d],
      ] as const) {
        for (const [id, answer] of answered(wire, mine)) {
          expect(log.get(id)?.seq).toBe((answer as { seq: number }).seq);
          acked++;
        }
      }
      expect(acked).toBeGreaterThan(300);
      // What was delivered was stored too.
      for (const frame of [...a.of('text'), ...d[0]!.of('text')]) expect(log.get(frame.id)).toEqual(frame);
      // And sending everything again makes nothing twice.
      const [back, phone] = [await relay.join(agent), await relay.join(devices[0]!)];
      for (const [index, id] of ids.a.slice(0, 400).entries()) back.send('text', { content: `${index}` }, { id });
      for (const [index, id] of ids.d.slice(0, 400).entries()) phone.send('text', { content: `${index}` }, { id });
      await Promise.all([back.sync(), phone.sync()]);
      const after = await relay.history(agent);
      expect(new Set(after.map(({ id, sender }) => `${JSON.stringify(sender)} ${id}`)).size).toBe(after.length);
      expect(after.map(({ seq }) => seq)).toEqual(Array.from({ length: after.length }, (_, i) => i + 1));
      expect([...back.of('system.error'), ...phone.of('system.error')]).toEqual([]);
    }
  });

  it('has everything else that was acknowledged: calls, surfaces, kept values, files, pairings, titles', async () => {
    const { agent, devices, a, d } = await relay.room(1);
    await a.ok('tool.call', { name: 'choice', call_id: 'c', arguments: {} });
    await a.ok('ui.open', { instance_id: 'i', app: { id: 'com.x.y', name: 'x', version: '1.0.0', html: '' }, state: {} });
    await a.ok('status', { state: 'waiting' });
    await d[0]!.ok('client.inventory', { revision: 'r1', standard_components: [], applications: [], capabilities: [] });
    const file = await relay.upload(agent, 'bytes');
    const second = await relay.conversation(agent, 'Second');
    const phone = await relay.pair(agent, 'Late');
    await relay.crash();
    const [back, wire] = [await relay.join(agent), await relay.join(devices[0]!)];
    expect(wire.welcome).toMatchObject({ pending_calls: ['c'], surfaces: ['i'], status: { state: 'waiting' } });
    expect(back.welcome.inventories).toEqual([{ device_id: devices[0]!.id, revision: 'r1' }]);
    expect(back.welcome.peers.map(({ id }) => id).toSorted()).toEqual([devices[0]!.id, phone.id].toSorted());
    expect((await relay.call('GET', `/v1/conversations/${agent.conversation}/files/${file}`, { as: devices[0]! })).text).toBe('bytes');
    expect((await relay.join(phone, {}, second)).welcome.conversation).toEqual({ id: second, title: 'Second' });
  });

  it('and one that was stopped: SIGTERM cuts sockets and loses nothing', async () => {
    const { agent, a } = await relay.room(1);
    const ids = Array.from({ length: 500 }, () => a.send('text', { content: 'x' }));
    await a.until('some acks', () => a.of('system.ack').length > 100 || undefined);
    await relay.process.end('SIGTERM');
    await a.closed;
    await relay.process.start();
    const log = new Set((await relay.history(agent)).map(({ id }) => id));
    for (const id of answered(a, ids).keys()) expect(log.has(id)).toBe(true);
  });
});

describe('§12 several relays', () => {
  const other = new Relay({});
  beforeAll(() => other.process.start());
  afterAll(() => other.process.dispose());

  it('run at once from one checkout and know nothing of each other', async () => {
    const [here, there] = [await relay.room(1), await other.room(1)];
    const { id } = await here.a.ok('text', { content: 'here' });
    await here.d[0]!.message(id);
    await there.d[0]!.sync();
    expect(there.d[0]!.count(id)).toBe(0);
    // A token of one is none at the other.
    expect((await other.call('GET', '/v1/conversations', { as: here.agent })).status).toBe(401);
    expect(await other.connect(here.agent).closed).toBe(4401);
    const ids = await Promise.all([relay, other].map(async (each) => (await each.call('GET', '/healthz')).json.relay));
    expect(new Set(ids).size).toBe(2);
    other.hangUp();
  });
});

describe('§8 the relay’s output', () => {
  it('holds no message text, token, key, code or name, whatever goes wrong', async () => {
    const secret = `TOPSECRET-${freshId()}`;
    const { agent, devices, a, d } = await relay.room(1);
    await a.ok('text', { content: secret });
    await a.ok('status', { state: 'idle', detail: secret });
    a.send('progress', { run_id: secret, message: secret });
    await a.ok('tool.call', { name: secret, call_id: 'c', arguments: { secret } });
    await d[0]!.ok('tool.result', { name: secret, call_id: 'c', error: { code: secret, message: secret } });
    await a.ok('ui.open', { instance_id: 'i', app: { id: 'com.x.y', name: secret, version: '1.0.0', html: secret }, state: { secret } });
    for (const [type, payload] of [
      ['text', { content: 5, secret }],
      [secret, {}],
      ['tool.call', { name: 'x', call_id: secret, arguments: secret }],
    ] as const) {
      await a.refused(type, payload);
    }
    a.raw(`{"secret":"${secret}"`);
    a.raw(secret);
    await a.sync();
    await relay.upload(agent, secret);
    await relay.conversation(agent, secret);
    await relay.call('POST', `/v1/conversations/${agent.conversation}/messages`, {
      as: agent,
      raw: `{"x":"${secret}`,
      headers: { 'content-type': 'application/json' },
    });
    await relay.call('GET', `/v1/conversations/${secret}/messages`, { as: agent });
    await relay.call('GET', '/v1/conversations', { as: `${agent.token.slice(0, -3)}xyz` });
    await relay.call('POST', '/v1/pairings/redeem', { body: { code: 'ABCD-2345', device: { name: secret, platform: 'web' } } });
    await relay.crash();
    await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    for (const word of [secret, agent.token, agent.token.slice(0, -3), devices[0]!.token, OWNER_KEY, 'ABCD-2345', 'ABCD2345']) {
      expect(relay.process.output).not.toContain(word);
    }
    expect(relay.process.output).toContain('ready http://127.0.0.1:');
  });
});

describe('§4 order', () => {
  it('is one for everybody, whoever speaks and how', async () => {
    const { agent, devices, a, d } = await relay.room(2);
    const posts = [];
    for (let i = 0; i < 60; i++) {
      for (const wire of [a, ...d]) wire.send('text', { content: `${i}` });
      if (i % 10 === 0) posts.push(relay.post(devices[0]!, 'text', { content: `http ${i}` }));
    }
    await Promise.all(posts);
    await Promise.all([a, ...d].map((wire) => wire.sync()));
    const log = await relay.history(agent);
    expect(log).toHaveLength(186);
    const bySeq = new Map(log.map((frame) => [frame.seq, frame]));
    for (const wire of [a, ...d]) {
      const seqs = wire.of('text').map((frame: Frame) => frame.seq!);
      expect(seqs).toEqual([...seqs].sort((x, y) => x - y));
      for (const frame of wire.of('text')) expect(bySeq.get(frame.seq)).toEqual(frame);
      for (const { payload } of wire.of('system.ack')) expect(bySeq.get(payload.seq as number)?.id).toBe(payload.ref);
    }
    for (const who of [agent, ...devices]) {
      const replayed = await relay.join(who, { resume: { epoch: a.welcome.epoch, seq: 0 } });
      expect(replayed.replay).toEqual(log);
    }
  });
});
