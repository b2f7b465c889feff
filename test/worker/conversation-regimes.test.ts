/** Every scenario of the conversation three times over: undisturbed, asleep before each frame, and evicted with all sockets cut before each frame. */
import { afterEach, describe, expect, it } from 'vitest';
import { call } from './getting-in-client.ts';
import { Client, REGIMES, Stage } from './conversation-stage.ts';

let stage: Stage;
afterEach(() => stage.end());

const text = (content: string) => ({ content });

describe.each(REGIMES)('with eviction %s', (regime) => {
  const open = async (count = 1) => (stage = await Stage.open(regime, count));

  it('texts go both ways, once, in order, and are acknowledged', async () => {
    const { agent, devices } = await open(2);
    const sent: string[] = [];
    for (let i = 0; i < 4; i++) for (const client of [agent, ...devices]) sent.push((await client.ok('text', text(`${i}`))).id);
    for (const client of [agent, ...devices]) {
      await client.sync();
      // In the regime that cuts sockets, own messages come back with the replay.
      const others = client.messages.filter((id) => regime === 'close' || sent.indexOf(id) % 3 !== [agent, ...devices].indexOf(client));
      expect(client.messages).toEqual(others);
      expect(new Set(client.messages).size).toBe(client.messages.length);
      expect(client.repeats).toEqual([]);
      const seqs = client.of('text').map(({ seq }) => seq!);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    }
    const { messages } = (await call('GET', `/v1/conversations/${agent.bearer.conversation}/messages`, { bearer: agent.bearer.token })).json;
    expect(messages.map(({ id, seq }: { id: string; seq: number }) => [id, seq])).toEqual(sent.map((id, i) => [id, i + 1]));
  });

  it('the same id again is the same message; with other content a conflict', async () => {
    const { agent, devices } = await open();
    const first = await agent.ok('text', text('x'), { id: 'once' });
    for (let i = 0; i < 3; i++) expect(await agent.ok('text', text('x'), { id: 'once' })).toEqual({ id: 'once', seq: first.seq, duplicate: true });
    expect(await agent.ask('text', text('y'), { id: 'once' })).toMatchObject({ code: 'id_conflict' });
    // Another sender may use it too.
    expect(await devices[0]!.ok('text', text('y'), { id: 'once' })).toMatchObject({ duplicate: false });
    await devices[0]!.sync();
    expect(devices[0]!.of('text').filter(({ sender }) => sender?.kind === 'agent')).toHaveLength(1);
  });

  it('an edit replaces the one before it, and compaction forgets no id', async () => {
    const { agent, devices } = await open();
    const { id } = await agent.ok('text', text('v0'));
    const edits = [];
    for (let i = 1; i <= 3; i++) edits.push(await agent.ok('text.edit', { message_id: id, content: `v${i}` }));
    expect(await agent.ok('text.edit', { message_id: id, content: 'v1' }, { id: edits[0]!.id })).toEqual({ ...edits[0], duplicate: true });
    await devices[0]!.sync();
    const late = await new Client(stage, devices[0]!.bearer).join({ resume: { epoch: agent.welcome!.epoch, seq: 0 } });
    expect(late.of('text.edit').map(({ payload }) => payload.content)).toEqual(['v3']);
    late.leave();
  });

  it('a message for one device is that device’s', async () => {
    const { agent, devices } = await open(2);
    const target = { kind: 'app', id: devices[0]!.bearer.id };
    const secret = await agent.ok('text', text('secret'), { target });
    const toAll = await agent.ok('text', text('for all'));
    for (const client of devices) await client.message(toAll.id);
    await devices[1]!.sync();
    expect([devices[0]!.messages, devices[1]!.messages]).toEqual([[secret.id, toAll.id], [toAll.id]]);
    expect((await devices[0]!.message(secret.id)).target).toEqual(target);
  });

  it('what is kept is in every welcome, and only the latest', async () => {
    const { agent, devices } = await open(2);
    await agent.ok('status', { state: 'thinking' });
    const status = await agent.ok('status', { state: 'working', detail: 'x' });
    expect(status.seq).toBeNull();
    await devices[0]!.ok('lineup.v1.client.inventory', { revision: 'r1', standard_components: [], applications: [], capabilities: [] });
    await devices[0]!.ok('lineup.v1.client.inventory', { revision: 'r2', standard_components: [], applications: [], capabilities: [] });
    const again = await devices[0]!.ok('lineup.v1.client.inventory', { revision: 'r1', standard_components: [], applications: [], capabilities: [] });
    expect(again.duplicate).toBe(true);
    const list = await devices[1]!.ok('tool.list', { tools: [{ name: 'choice', type: 'action' }] });
    await agent.message(list.id);
    await stage.between();
    for (const device of devices) expect((await device.join()).welcome!.status).toEqual({ state: 'working', detail: 'x' });
    await agent.join();
    expect(agent.welcome!.inventories).toEqual([{ device_id: devices[0]!.bearer.id, revision: 'r2' }]);
    expect(agent.of('tool.list').map(({ id }) => id)).toEqual([list.id]);
    expect((await call('GET', `/v1/conversations/${agent.bearer.conversation}/messages`, { bearer: agent.bearer.token })).json.messages).toEqual([]);
  });

  it('an inventory decides which calls are shown', async () => {
    const { agent, devices } = await open();
    const inventory = (revision: string, ...names: string[]) => ({
      revision,
      standard_components: [],
      applications: [],
      capabilities: names.map((name) => ({ name, version: '1', risk: 'restricted' })),
    });
    const ask = async (call_id: string, capability: string) => {
      await agent.ok('lineup.v1.app.call', { call_id, capability, reason: 'x', arguments: {} });
      await agent.sync();
      const result = agent.of('lineup.v1.app.result').find(({ payload }) => payload.call_id === call_id);
      return result ? (result.payload.error as { code: string }).code : 'shown';
    };
    expect(await ask('before', 'a.b')).toBe('shown');
    await devices[0]!.ok('lineup.v1.client.inventory', inventory('r1', 'a.b'));
    expect([await ask('one', 'a.b'), await ask('two', 'c.d')]).toEqual(['shown', 'undeclared']);
    await devices[0]!.ok('lineup.v1.client.inventory', inventory('r2', 'c.d'));
    expect([await ask('three', 'a.b'), await ask('four', 'c.d')]).toEqual(['revoked', 'shown']);
    await devices[0]!.sync();
    expect(devices[0]!.of('lineup.v1.app.call').map(({ payload }) => payload.call_id)).toEqual(['before', 'one', 'four']);
  });

  it('tools that were told once are told by the relay when nobody is there', async () => {
    const { agent, devices } = await open();
    await devices[0]!.ok('tool.list', { tools: [{ name: 'canvas', type: 'app' }] });
    devices[0]!.leave();
    await scheduler.wait(50);
    const { id } = await agent.ok('tool.list', {});
    const stale = await agent.wait(({ payload }) => payload.stale === true);
    expect(stale).toMatchObject({ sender: { id: devices[0]!.bearer.id }, payload: { reply_to: id, tools: [{ name: 'canvas' }] } });
  });

  it('what is ephemeral reaches who is there and leaves no trace', async () => {
    const { agent, devices } = await open(2);
    const deltas: string[] = [];
    for (let i = 0; i < 3; i++) {
      const delta = await agent.send('text.delta', { message_id: 'm', offset: i, delta: 'x' });
      // Nobody promises an ephemeral frame to a socket that is cut.
      for (const client of devices) await client.message(delta);
      deltas.push(delta);
    }
    const progress = await devices[0]!.send('tool.progress', { call_id: 'c', percent: 5 });
    await agent.message(progress);
    for (const client of devices) {
      await client.sync();
      expect(client.messages).toEqual(deltas);
    }
    await agent.join();
    expect(agent.welcome).toMatchObject({ head_seq: 0, resumed: true });
  });

  it('receipts go forward and are remembered', async () => {
    const { agent, devices } = await open();
    for (let i = 0; i < 3; i++) await agent.ok('text', text(`${i}`));
    await devices[0]!.send('system.received', { seq: 3 });
    const receipt = await agent.wait(({ type, payload }) => type === 'system.receipt' && payload.seq === 3);
    expect(receipt.payload.participant).toEqual({ kind: 'app', id: devices[0]!.bearer.id });
    await devices[0]!.send('system.received', { seq: 2 });
    await devices[0]!.sync();
    await agent.sync();
    expect(agent.of('system.receipt').at(-1)!.payload.seq).toBe(3);
    await agent.join();
    expect(agent.welcome!.peers).toMatchObject([{ received: 3 }]);
  });

  it('presence: who comes is told, and who goes', async () => {
    const { agent, devices } = await open(2);
    const about = (client: Client, online: boolean, from = 0) =>
      agent.wait(
        ({ type, payload }) => type === 'system.presence' && (payload.peer as { id: string }).id === client.bearer.id && payload.online === online,
        from,
      );
    await about(devices[0]!, true);
    await about(devices[1]!, true);
    await stage.between();
    devices[1]!.leave();
    await scheduler.wait(50);
    // Whoever was cut off at that moment finds it in the welcome.
    if (regime !== 'close') await about(devices[1]!, false);
    await agent.join();
    expect(agent.welcome!.peers.map(({ id, online }) => [id, online])).toEqual([
      [devices[0]!.bearer.id, true],
      [devices[1]!.bearer.id, false],
    ]);
    const from = agent.frames.length;
    await devices[1]!.join();
    await about(devices[1]!, true, from);
  });

  it('beyond the window frames wait, and come in order when the cursor moves', async () => {
    const { agent, devices } = await open();
    const [phone] = devices;
    // 4 MiB hold 69 texts of 60 000 bytes.
    const sent: string[] = [];
    await stage.between();
    const posts = Array.from({ length: 80 }, (_, i) => ({ v: 1, id: `big${i}`, type: 'text', payload: text(`${i} `.padEnd(60_000, 'x')) }));
    for (const body of posts) {
      sent.push(body.id);
      await call('POST', `/v1/conversations/${agent.bearer.conversation}/messages`, { bearer: agent.bearer.token, body });
    }
    await scheduler.wait(100);
    expect(phone!.messages).toEqual(sent.slice(0, 69));
    // Everybody who is cut off comes back with its cursor, which opens the window as well.
    await phone!.send('system.received', { seq: 30 });
    await phone!.message(sent.at(-1)!);
    expect(phone!.messages).toEqual(sent);
    expect(phone!.repeats).toEqual([]);
  });

  it('files go in and out, and messages may name them', async () => {
    const { agent, devices } = await open();
    const path = `/v1/conversations/${agent.bearer.conversation}/files`;
    const bytes = new TextEncoder().encode('0123456789'.repeat(6_000));
    const up = await call('POST', path, { bearer: devices[0]!.bearer.token, raw: bytes, headers: { 'content-type': 'text/x-odd' } });
    expect(up.status).toBe(201);
    const { id } = await devices[0]!.ok('file', { file_id: up.json.file_id, name: 'a', mime_type: 'text/x-odd', size: bytes.length });
    expect((await agent.message(id)).payload.file_id).toBe(up.json.file_id);
    await stage.between();
    const part = await call('GET', up.json.url, { bearer: agent.bearer.token, headers: { range: 'bytes=10-19' } });
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-type')]).toEqual([206, 'bytes 10-19/60000', 'text/x-odd']);
    expect(await agent.ask('file', { file_id: `fl_${'a'.repeat(24)}`, name: 'a', mime_type: 'a', size: 1 })).toMatchObject({
      code: 'invalid_payload',
    });
  });
});
