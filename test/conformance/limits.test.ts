/** §8, limits: what each is by default, that all are variables which the welcome tells, and what happens at and beyond them. */
import { describe, expect, it } from 'vitest';
import { sleep, useRelay } from './people.ts';
import { freshId } from './wire.ts';

const APP = { id: 'com.x.y', name: 'x', version: '1.0.0', html: '' };
const call = (call_id: string, more: object = {}) => ({ name: 'choice', action: 'select', call_id, arguments: {}, ...more });

describe('§8 as they come', () => {
  const relay = useRelay({ LINEUP_RATE_PER_S: '' });

  it('the welcome tells them', async () => {
    const { a, d } = await relay.room(1);
    for (const { welcome } of [a, d[0]!]) {
      expect(welcome.limits).toMatchObject({
        max_frame_bytes: 262_144,
        max_bundle_bytes: 163_840,
        max_event_bytes: 16_384,
        max_file_bytes: 8_388_608,
        window_bytes: 4_194_304,
        rate_per_s: 50,
        burst: 200,
      });
    }
  });

  it('64 surfaces may be open: the next is too_many, until one is closed; replacing one is no other', async () => {
    const { agent, a, d } = await relay.room(1);
    const open = (instance_id: string) => a.ask('ui.open', { instance_id, app: APP, state: {} });
    for (let i = 0; i < 64; i++) expect((await open(`i${i}`)).type).toBe('system.ack');
    expect(await open('one-more')).toMatchObject({ type: 'system.error', code: 'too_many', retryable: false });
    expect((await open('i5')).type).toBe('system.ack');
    await d[0]!.ok('ui.event', { instance_id: 'i5', event: 'close', data: {} });
    expect((await open('one-more')).type).toBe('system.ack');
    expect(await relay.post(agent, 'ui.open', { instance_id: 'another', app: APP, state: {} })).toMatchObject({ status: 409, code: 'too_many' });
    expect((await relay.join(agent)).welcome.surfaces).toHaveLength(64);
  });

  it('200 messages at once are fine, the next is rate_limited: retryable, not stored, and good again later', async () => {
    const { agent, a, d } = await relay.room(1);
    const sent = Array.from({ length: 295 }, (_, i) => a.send('text', { content: `${i}` }));
    await a.answer(sent.at(-1)!);
    const answers = await Promise.all(sent.map((id) => a.answer(id)));
    const refused = answers.filter(({ type }) => type === 'system.error');
    expect(answers.slice(0, 200).every(({ type }) => type === 'system.ack')).toBe(true);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expect(answer).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(await relay.history(agent)).toHaveLength(295 - refused.length);
    expect(a.closeCode).toBeNull();
    await sleep(1_000);
    await a.ok('text', { content: 'again' });
    // Another socket has a budget of its own.
    await d[0]!.ok('text', { content: 'other' });
  });
});

describe('§8 as variables say', () => {
  const VARIABLES = {
    LINEUP_RATE_PER_S: '10',
    LINEUP_BURST: '20',
    LINEUP_MAX_FRAME_BYTES: '5000',
    LINEUP_MAX_BUNDLE_BYTES: '1000',
    LINEUP_MAX_EVENT_BYTES: '100',
    LINEUP_MAX_FILE_BYTES: '2000',
    LINEUP_WINDOW_BYTES: '10000',
    LINEUP_OPEN_SURFACES: '2',
    LINEUP_PENDING_CALLS: '3',
    LINEUP_SOCKETS_PER_DEVICE: '2',
    LINEUP_DEVICES_PER_AGENT: '3',
  };
  const relay = useRelay(VARIABLES);

  it('the welcome tells every one of them', async () => {
    const { a } = await relay.room(0);
    for (const [name, value] of Object.entries(VARIABLES)) {
      expect(a.welcome.limits, name).toHaveProperty(name.replace('LINEUP_', '').toLowerCase(), Number(value));
    }
  });

  it('sizes', async () => {
    const { agent, a, d } = await relay.room(1);
    const frame = (bytes: number): string => {
      const empty = '{"v":1,"id":"f","type":"text","payload":{"content":"x","pad":""}}';
      return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
    };
    a.raw(frame(5_001));
    expect((await a.wait('system.error')).payload.code).toBe('frame_too_large');
    a.raw(frame(5_000));
    expect((await a.answer('f')).type).toBe('system.ack');
    expect(await a.refused('ui.open', { instance_id: 'i', app: { ...APP, html: 'x'.repeat(1_001) }, state: {} })).toBe('bundle_too_large');
    await a.ok('ui.open', { instance_id: 'i', app: { ...APP, html: 'x'.repeat(1_000) }, state: {} });
    expect(await d[0]!.refused('ui.event', { instance_id: 'i', event: 'go', data: { s: 'x'.repeat(92) } })).toBe('event_too_large');
    await d[0]!.ok('ui.event', { instance_id: 'i', event: 'go', data: { s: 'x'.repeat(91) } });
    const upload = (size: number) =>
      relay.call('POST', `/v1/conversations/${agent.conversation}/files`, {
        as: agent,
        raw: 'x'.repeat(size),
        headers: { 'content-type': 'text/plain' },
      });
    expect([(await upload(2_001)).status, (await upload(2_000)).status]).toEqual([413, 201]);
  });

  it('open surfaces and pending calls', async () => {
    const { agent, a, d } = await relay.room(1);
    for (const instance_id of ['i', 'j']) await a.ok('ui.open', { instance_id, app: APP, state: {} });
    expect(await a.refused('ui.open', { instance_id: 'k', app: APP, state: {} })).toBe('too_many');
    for (const id of ['one', 'two', 'three']) await a.ok('tool.call', call(id));
    expect(await a.refused('tool.call', call('four'))).toBe('too_many');
    expect(await a.refused('app.call', { call_id: 'five', capability: 'x.y', reason: '', arguments: {} })).toBe('too_many');
    expect(await relay.post(agent, 'tool.call', call('six'))).toMatchObject({ status: 409, code: 'too_many' });
    // Asking again for one of them is no other call.
    expect(await a.ok('tool.call', call('two'))).toMatchObject({ duplicate: true });
    await d[0]!.ok('tool.result', { name: 'choice', call_id: 'two', result: { message: 'x' } });
    await a.ok('tool.call', call('four'));
    expect((await relay.join(agent)).welcome.pending_calls).toEqual(['one', 'three', 'four']);
  });

  it('the window', async () => {
    const { a, d } = await relay.room(1);
    const sent: string[] = [];
    for (let i = 0; i < 5; i++) sent.push((await a.ok('text', { content: 'x'.repeat(3_000) })).id);
    await d[0]!.sync();
    expect(d[0]!.of('text')).toHaveLength(3);
    d[0]!.send('system.received', { seq: 1 });
    await d[0]!.sync();
    expect(d[0]!.of('text')).toHaveLength(4);
    d[0]!.send('system.received', { seq: 4 });
    await d[0]!.message(sent[4]!);
  });

  it('kept values reach a socket that waits once it has caught up, the latest alone; ephemeral ones do not', async () => {
    const { a, d } = await relay.room(1);
    for (let i = 0; i < 4; i++) await a.ok('text', { content: 'x'.repeat(3_000) });
    await a.ok('status', { state: 'thinking' });
    await a.ok('status', { state: 'working' });
    a.send('progress', { run_id: 'r' });
    await Promise.all([a.sync(), d[0]!.sync()]);
    expect([d[0]!.of('text').length, d[0]!.of('status')]).toEqual([3, []]);
    d[0]!.send('system.received', { seq: 3 });
    await d[0]!.wait('status');
    await d[0]!.sync();
    expect(d[0]!.messages().map(({ type, payload }) => [type, payload.state])).toEqual([
      ...Array.from({ length: 4 }, () => ['text', undefined]),
      ['status', 'working'],
    ]);
    a.send('progress', { run_id: 'r' });
    await d[0]!.wait('progress');
  });

  it('a frame larger than the window goes alone', async () => {
    const { a, d } = await relay.room(1);
    await a.ok('text', { content: 'x'.repeat(4_500) });
    await a.ok('text', { content: 'x'.repeat(4_500) });
    await a.ok('text', { content: 'y'.repeat(4_500) });
    await d[0]!.sync();
    expect(d[0]!.of('text')).toHaveLength(2);
  });

  it('sockets of a device and devices of an agent', async () => {
    const agent = await relay.enrol();
    const phones = [await relay.pair(agent), await relay.pair(agent), await relay.pair(agent)];
    const { json } = await relay.call('POST', '/v1/pairings', { as: agent, body: {} });
    const redeem = () => relay.call('POST', '/v1/pairings/redeem', { body: { code: json.code, device: { name: 'x', platform: 'web' } } });
    expect(await redeem()).toMatchObject({ status: 409, code: 'too_many' });
    // The code stays good.
    await relay.call('DELETE', `/v1/devices/${phones[2]!.id}`, { as: agent });
    expect((await redeem()).status).toBe(200);
    const tabs = [await relay.join(phones[0]!), await relay.join(phones[0]!), await relay.join(phones[0]!)];
    expect(await tabs[0]!.closed).toBe(4409);
    await Promise.all(tabs.slice(1).map((tab) => tab.sync()));
  });

  it('beyond the rate each message is refused by itself; after 100 refusals in a minute the socket closes with 4429', async () => {
    const { agent, a, d } = await relay.room(1);
    const ids = Array.from({ length: 220 }, () => freshId());
    for (const id of ids) a.send('text', { content: 'x' }, { id });
    expect(await a.closed).toBe(4429);
    const errors = a.of('system.error');
    expect(errors.length).toBe(100);
    for (const { payload } of errors) expect(payload).toMatchObject({ code: 'rate_limited', retryable: true, ref: expect.stringMatching(/^m/) });
    const acked = a.of('system.ack').length;
    expect(acked).toBeGreaterThanOrEqual(20);
    expect(acked).toBeLessThanOrEqual(120);
    expect(await relay.history(agent)).toHaveLength(acked);
    await d[0]!.sync();
    // It may come back, and the log has what was acknowledged.
    const back = await relay.join(agent);
    await back.ok('text', { content: 'slower now' });
  });

  it('every frame counts, whatever is in it', async () => {
    const { a } = await relay.room(0);
    for (let i = 0; i < 15; i++) a.send('progress', { run_id: 'r' });
    for (let i = 0; i < 60; i++) a.send('nonsense');
    await a.until('all answers', () => a.of('system.error').length === 60 || undefined);
    const codes = a.of('system.error').map(({ payload }) => payload.code);
    expect(codes.filter((code) => code === 'rate_limited').length).toBeGreaterThanOrEqual(10);
    expect(a.closeCode).toBeNull();
  });
});

describe('§8 LINEUP_RATE_PER_S=0', () => {
  const relay = useRelay({ LINEUP_BURST: '5' });

  it('is no rate limit and no burst limit', async () => {
    const { a, d } = await relay.room(1);
    const sent = Array.from({ length: 1_000 }, (_, i) => a.send('text', { content: `${i}` }));
    await a.answer(sent.at(-1)!);
    await d[0]!.message(sent.at(-1)!);
    expect([a.of('system.ack').length, d[0]!.of('text').length, a.of('system.error').length]).toEqual([1_000, 1_000, 0]);
    expect(a.welcome.limits).toMatchObject({ rate_per_s: 0 });
  });

  it('a thousand calls may be pending, and no more', async () => {
    const { agent, a } = await relay.room(0);
    for (let i = 0; i < 1_000; i++) a.send('tool.call', call(`c${i}`));
    await a.sync();
    expect(a.of('system.error')).toEqual([]);
    expect(await a.refused('tool.call', call('one-more'))).toBe('too_many');
    expect((await relay.join(agent)).welcome.pending_calls).toHaveLength(1_000);
    await relay.join(agent, { cancel_pending: true });
    const back = await relay.join(agent);
    expect(back.welcome.pending_calls).toEqual([]);
    await back.ok('tool.call', call('one-more'));
  });
});
