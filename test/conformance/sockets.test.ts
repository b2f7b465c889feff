/** §4 and §5: receipts, presence, control frames, and which sockets of a participant stay. */
import { describe, expect, it } from 'vitest';
import { OWNER_KEY } from '../support/relay-process.ts';
import { sleep, useRelay } from './people.ts';
import type { Frame } from './wire.ts';

const relay = useRelay();

describe('§4 receipts', () => {
  it('tell the other side the cursor, and nobody else', async () => {
    const { agent, devices, a, d } = await relay.room(2);
    const { seq } = await a.ok('text', { content: 'x' });
    d[0]!.send('system.received', { seq });
    expect((await a.wait('system.receipt')).payload).toEqual({ participant: { kind: 'app', id: devices[0]!.id }, seq });
    a.send('system.received', { seq });
    for (const wire of d) expect((await wire.wait('system.receipt')).payload).toEqual({ participant: { kind: 'agent', id: agent.id }, seq });
    for (const wire of [a, ...d]) {
      await wire.sync();
      expect([wire.of('system.receipt').length, wire.of('system.error')]).toEqual([1, []]);
    }
    expect(await relay.history(agent)).toHaveLength(1);
  });

  it('go forward alone: an old cursor, or the same again, is told to nobody', async () => {
    const { a, d } = await relay.room(1);
    for (let i = 0; i < 3; i++) await a.ok('text', { content: `${i}` });
    for (const seq of [2, 1, 2, 0, 3, 3]) d[0]!.send('system.received', { seq });
    await Promise.all([d[0]!.sync(), a.sync()]);
    expect(a.of('system.receipt').map(({ payload }) => payload.seq)).toEqual([2, 3]);
  });

  it('are kept: a resume tells them too, and a welcome has them after a killed relay', async () => {
    const { agent, devices, a, d } = await relay.room(1);
    for (let i = 0; i < 3; i++) await a.ok('text', { content: `${i}` });
    await d[0]!.end();
    await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 2 } });
    expect((await a.wait('system.receipt')).payload.seq).toBe(2);
    await relay.process.end('SIGTERM');
    await relay.process.start();
    const back = await relay.join(agent);
    expect(back.welcome.peers).toMatchObject([{ id: devices[0]!.id, received: expect.any(Number) }]);
  });

  it('beyond the head, or of nothing, are invalid_payload', async () => {
    const { a, d } = await relay.room(1);
    const { seq } = await a.ok('text', { content: 'x' });
    for (const payload of [{ seq: seq + 1 }, { seq: -1 }, { seq: 0.5 }, { seq: '1' }, { seq: null }, {}]) {
      expect(await d[0]!.refused('system.received', payload), JSON.stringify(payload)).toBe('invalid_payload');
    }
    await a.sync();
    expect(a.of('system.receipt')).toEqual([]);
  });

  it('do not let a repeated cursor move what a resume would bring', async () => {
    const { devices, a, d } = await relay.room(1);
    const sent = [await a.ok('text', { content: '1' }), await a.ok('text', { content: '2' })];
    d[0]!.send('system.received', { seq: 2 });
    await d[0]!.sync();
    const wire = await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    expect(wire.replay.map(({ id }) => id)).toEqual(sent.map(({ id }) => id));
  });
});

describe('§4 presence', () => {
  const of = (id: string, online: boolean) => (frame: Frame) =>
    frame.type === 'system.presence' && frame.payload.online === online && (frame.payload.peer as { id: string }).id === id;

  it('tells the agent of devices and devices of the agent, each change once', async () => {
    const agent = await relay.enrol();
    const [one, two] = [await relay.pair(agent, 'One'), await relay.pair(agent, 'Two')];
    const a = await relay.join(agent);
    expect(a.welcome.peers.map(({ id, kind, name, online, last_seen }) => [id, kind, name, online, last_seen]).toSorted()).toEqual(
      [
        [one.id, 'app', 'One', false, null],
        [two.id, 'app', 'Two', false, null],
      ].toSorted(),
    );
    const d1 = await relay.join(one);
    expect(d1.welcome.peers).toMatchObject([{ kind: 'agent', id: agent.id, name: 'Hermes', online: true }]);
    expect((await a.wait(of(one.id, true))).payload).toMatchObject({ peer: { kind: 'app', id: one.id }, last_seen: expect.stringMatching(/Z$/) });
    const d2 = await relay.join(two);
    await a.wait(of(two.id, true));
    d1.cut();
    await a.wait(of(one.id, false));
    await a.end();
    await d2.wait(of(agent.id, false));
    expect(d2.frames.filter(of(one.id, true))).toEqual([]);
    const back = await relay.join(agent);
    expect(back.welcome.peers.find(({ id }) => id === one.id)).toMatchObject({ online: false, last_seen: expect.stringMatching(/Z$/) });
    expect(a.frames.filter(of(one.id, true))).toHaveLength(1);
  });

  it('an agent that changes sockets never counts as gone', async () => {
    const { agent, d } = await relay.room(1);
    const from = d[0]!.frames.length;
    for (let i = 0; i < 3; i++) await relay.join(agent);
    await d[0]!.sync();
    expect(d[0]!.of('system.presence', from)).toEqual([]);
  });
});

describe('§5 control frames', () => {
  it('reach every conversation of the agent: paired, revoked, made, renamed, deleted', async () => {
    const { agent, devices, a, d } = await relay.room(1);
    const second = await relay.conversation(agent, 'Second');
    const wires = [a, d[0]!, await relay.join(agent, {}, second), await relay.join(devices[0]!, {}, second)];
    const stranger = await relay.room(1);
    const tells = async (type: string, payload: object, to = wires) => {
      for (const wire of to)
        expect(
          await wire.wait(
            ({ type: each, payload: said }) => each === type && JSON.stringify(said).includes(JSON.stringify(payload).slice(1, -1)),
            type,
          ),
        ).not.toHaveProperty('seq');
    };
    const phone = await relay.pair(agent, 'Third');
    await tells('system.paired', { device_id: phone.id, name: 'Third' });
    await relay.call('DELETE', `/v1/devices/${phone.id}`, { as: agent });
    await tells('system.revoked', { device_id: phone.id });
    const third = await relay.conversation(devices[0]!, 'Third');
    await tells('system.conversation', { conversation_id: third });
    expect(wires[0]!.of('system.conversation').at(-1)!.payload.change).toBe('created');
    await relay.call('PATCH', `/v1/conversations/${third}`, { as: agent, body: { title: 'New' } });
    await tells('system.conversation', { conversation_id: third, title: 'New' });
    expect(wires[0]!.of('system.conversation').at(-1)!.payload.change).toBe('renamed');
    const inside = await relay.join(agent, {}, third);
    await relay.call('DELETE', `/v1/conversations/${third}`, { as: devices[0]! });
    expect(await inside.closed).toBe(4404);
    for (const wire of wires) await wire.wait(({ payload }) => payload.change === 'deleted', 'the deletion');
    for (const wire of [stranger.a, stranger.d[0]!]) {
      await wire.sync();
      expect(wire.texts.join()).not.toMatch(new RegExp(`${phone.id}|${third}`));
    }
    for (const conversation of [agent.conversation, second]) expect(await relay.history(agent, conversation)).toEqual([]);
  });

  it('a renamed conversation has its new title in the next welcome', async () => {
    const { agent, devices } = await relay.room(1);
    await relay.call('PATCH', `/v1/conversations/${agent.conversation}`, { as: devices[0]!, body: { title: 'Kitchen' } });
    for (const who of [agent, devices[0]!])
      expect((await relay.join(who)).welcome.conversation).toEqual({ id: agent.conversation, title: 'Kitchen' });
  });

  it('none of them may be said by a client, and none is ever stored', async () => {
    const { agent, a, d } = await relay.room(1);
    for (const name of ['paired', 'revoked', 'conversation', 'settled', 'welcome', 'synced', 'ack', 'error', 'receipt', 'presence', 'pong']) {
      for (const wire of [a, d[0]!]) expect(await wire.refused(`system.${name}`, { call_id: 'c' })).toBe('wrong_direction');
    }
    expect(await a.refused('system.hello', { name: 'again', session: 's' })).toBe('unsupported_type');
    expect(await relay.history(agent)).toEqual([]);
  });
});

describe('§4 which sockets stay', () => {
  it('eight of a device in each conversation; the ninth takes the oldest one’s place', async () => {
    const agent = await relay.enrol();
    const phone = await relay.pair(agent);
    const second = await relay.conversation(agent);
    const elsewhere = await relay.join(phone, {}, second);
    const tabs = [];
    for (let i = 0; i < 8; i++) tabs.push(await relay.join(phone));
    expect(tabs.every(({ closeCode }) => closeCode === null)).toBe(true);
    tabs.push(await relay.join(phone), await relay.join(phone));
    expect(await Promise.all([tabs[0]!.closed, tabs[1]!.closed])).toEqual([4409, 4409]);
    await Promise.all([elsewhere, ...tabs.slice(2)].map((wire) => wire.sync()));
  });

  it.each([
    ['a higher attempt', 5, 6, 'first'],
    ['the same attempt', 5, 5, 'first'],
    ['a lower attempt', 5, 4, 'second'],
    ['no attempt where there was one', 5, undefined, 'second'],
    ['no attempts', undefined, undefined, 'first'],
  ])('of one session: with %s', async (_what, earlier, later, closes) => {
    for (const kind of ['agent', 'app'] as const) {
      const agent = await relay.enrol();
      const who = kind === 'agent' ? agent : await relay.pair(agent);
      const first = await relay.join(who, { session: 's', ...(earlier !== undefined && { attempt: earlier }) });
      const second = relay.connect(who);
      await second.opened();
      second.send('system.hello', { name: 'x', session: 's', ...(later !== undefined && { attempt: later }) });
      expect(await (closes === 'first' ? first : second).closed).toBe(4409);
      await (closes === 'first' ? second : first).sync();
    }
  });

  it('a socket that was replaced gets nothing more and says nothing more', async () => {
    const { agent, devices, a } = await relay.room(1);
    const old = await relay.join(devices[0]!, { session: 's' });
    const fresh = await relay.join(devices[0]!, { session: 's' });
    expect(await old.closed).toBe(4409);
    const { id } = await a.ok('text', { content: 'x' });
    await fresh.message(id);
    expect(old.count(id)).toBe(0);
    expect((await relay.history(agent)).map((frame) => frame.id)).toEqual([id]);
  });
});

describe('§3 what an agent hears of itself', () => {
  it('whether the relay has it online, and since when it has not', async () => {
    const { agent, devices, a } = await relay.room(1);
    for (const as of [agent, devices[0]!]) {
      expect((await relay.call('GET', '/v1/agents/self', { as })).json).toMatchObject({ agent_id: agent.id, online: true });
    }
    await a.end();
    await expect.poll(async () => (await relay.call('GET', '/v1/agents/self', { as: agent })).json.online).toBe(false);
    expect((await relay.call('GET', '/v1/agents/self', { as: agent })).json.last_seen).toMatch(/^\d{4}-.*Z$/);
  });
});

describe('§3 who is cut off', () => {
  it('an agent whose token was replaced, with 4401, in every conversation; its devices stay', async () => {
    const { agent, a, d } = await relay.room(1);
    const second = await relay.join(agent, {}, await relay.conversation(agent));
    const { status, json } = await relay.call('POST', `/v1/agents/${agent.id}/token`, { as: OWNER_KEY });
    expect(status).toBe(200);
    expect([await a.closed, await second.closed]).toEqual([4401, 4401]);
    expect((await relay.call('GET', '/v1/conversations', { as: agent })).status).toBe(401);
    const late = relay.connect(agent);
    expect(await late.closed).toBe(4401);
    const fresh = await relay.join({ ...agent, token: String(json.token) });
    const { id } = await fresh.ok('text', { content: 'still here' });
    await d[0]!.message(id);
  });

  it('a revoked device, with 4403, in every conversation, and not a frame after', async () => {
    const { agent, devices, a, d } = await relay.room(2);
    const second = await relay.conversation(agent);
    const elsewhere = await relay.join(devices[0]!, {}, second);
    const busy = setInterval(() => a.send('text', { content: 'on and on' }), 5);
    await relay.call('DELETE', `/v1/devices/${devices[0]!.id}`, { as: agent });
    const revokedAt = Date.now();
    expect([await d[0]!.closed, await elsewhere.closed]).toEqual([4403, 4403]);
    await sleep(50);
    clearInterval(busy);
    const newest = d[0]!.messages().at(-1);
    if (newest?.ts) expect(Date.parse(newest.ts)).toBeLessThanOrEqual(revokedAt + 1);
    expect(await relay.connect(devices[0]!).closed).toBe(4403);
    expect((await relay.post(devices[0]!, 'text', { content: 'x' })).status).toBe(401);
    await d[1]!.sync();
    expect(await a.refused('text', { content: 'x' }, { target: { kind: 'app', id: devices[0]!.id } })).toBe('wrong_target');
  });

  it('everybody in a deleted conversation, with 4404, and nothing of it is left', async () => {
    const { agent, devices } = await relay.room(1);
    const id = await relay.conversation(agent);
    const [a, d] = [await relay.join(agent, {}, id), await relay.join(devices[0]!, {}, id)];
    await a.ok('text', { content: 'secret' });
    const file = await relay.upload(agent, 'bytes', 'text/plain', id);
    await relay.call('DELETE', `/v1/conversations/${id}`, { as: agent });
    expect([await a.closed, await d.closed]).toEqual([4404, 4404]);
    for (const who of [agent, devices[0]!]) {
      for (const [method, path] of [
        ['GET', '/messages'],
        ['GET', '/audit'],
        ['GET', `/files/${file}`],
        ['DELETE', ''],
      ] as const) {
        const answer = await relay.call(method, `/v1/conversations/${id}${path}`, { as: who });
        expect([answer.status, answer.code]).toEqual([404, 'not_found']);
      }
      expect(await relay.connect(who, id).closed).toBe(4404);
    }
    await relay.crash();
    expect((await relay.call('GET', `/v1/conversations/${id}/messages`, { as: agent })).status).toBe(404);
    expect((await relay.call('GET', '/v1/conversations', { as: agent })).text).not.toContain(id);
  });
});
