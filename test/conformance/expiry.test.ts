/** §6, item 5: calls end on the relay's clock, whoever is there, also across a killed relay. */
import { describe, expect, it } from 'vitest';
import { KINDS } from './call-kinds.ts';
import type { AuditEntry } from '../../src/protocol/http.ts';
import { isoIn, sleep, useRelay, type Person } from './people.ts';
import { freshId } from './wire.ts';

const relay = useRelay();

const SOON_MS = 700;

/** Waits until the newest call is settled, without touching the conversation's sockets. */
async function settledEntry(agent: Person): Promise<AuditEntry> {
  for (let i = 0; i < 200; i++) {
    const [entry] = await relay.audit(agent);
    if (entry && entry.status !== 'pending') return entry;
    await sleep(50);
  }
  throw new Error('the call was not settled');
}

describe.each(KINDS)('§6, 5 $kind', (kind) => {
  it('an expired call is settled by the relay: one result for the agent, closed dialogs, and late answers are late', async () => {
    const { agent, a, d } = await relay.room(2);
    const before = Date.now();
    const { id } = await a.ok(kind.call, { ...kind.asks('c'), expires_at: isoIn(SOON_MS) });
    for (const wire of d) await wire.message(id);
    const result = await a.wait(kind.result);
    expect(Date.now() - before).toBeGreaterThanOrEqual(SOON_MS - 50);
    expect(result).toMatchObject({ sender: { kind: 'relay' }, seq: 2, payload: { call_id: 'c', ...kind.ended('expired') } });
    for (const wire of d) {
      expect((await wire.wait('system.settled')).payload).toEqual({ call_id: 'c', status: 'expired', by: { kind: 'relay' } });
      const from = wire.frames.length;
      expect(await wire.refused(kind.result, kind.answers('c'))).toBe('already_settled');
      expect((await wire.wait('system.settled', '', from)).payload.status).toBe('expired');
    }
    expect(await a.refused(kind.cancel, { call_id: 'c' })).toBe('already_settled');
    expect((await relay.history(agent)).map(({ type, settled }) => [type, settled?.status])).toEqual([
      [kind.call, 'expired'],
      [kind.result, undefined],
    ]);
    const again = await relay.join(agent, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    expect(again.replay.map((frame) => frame.id)).toEqual([id, result.id]);
    expect(again.welcome.pending_calls).toEqual([]);
  });

  it('already past when called: acknowledged, expired at once, never shown to a device', async () => {
    const { agent, devices, a, d } = await relay.room(1);
    for (const expires_at of ['2020-01-01T00:00:00Z', isoIn(-1_000)]) {
      const call_id = freshId('c');
      const from = a.frames.length;
      const ack = await a.ok(kind.call, { ...kind.asks(call_id), expires_at });
      expect(ack.duplicate).toBe(false);
      expect(await a.wait(kind.result, '', from)).toMatchObject({ sender: { kind: 'relay' }, payload: { call_id, ...kind.ended('expired') } });
      expect(await d[0]!.refused(kind.result, kind.answers(call_id))).toBe('already_settled');
    }
    const again = await relay.join(devices[0]!, { resume: { epoch: a.welcome.epoch, seq: 0 } });
    expect([again.replay, again.welcome.pending_calls]).toEqual([[], []]);
    expect((await relay.history(devices[0]!)).filter(({ type }) => type === kind.call)).toEqual([]);
    expect(d[0]!.of(kind.call)).toEqual([]);
    expect((await relay.history(agent)).map(({ type }) => type)).toEqual([kind.call, kind.result, kind.call, kind.result]);
  });

  it('more than 7 days ahead is invalid_payload, as is what is no time; up to 7 days is fine', async () => {
    const { agent, a } = await relay.room(1);
    for (const expires_at of [
      isoIn(7 * 86_400_000 + 60_000),
      '9999-12-31T23:59:59Z',
      'tomorrow',
      '',
      '2026-13-01T00:00:00Z',
      1_767_225_600_000,
      {},
    ]) {
      expect(await a.refused(kind.call, { ...kind.asks('c'), expires_at }), JSON.stringify(expires_at)).toBe('invalid_payload');
    }
    for (const expires_at of [isoIn(7 * 86_400_000 - 5_000), isoIn(60_000).replace('Z', '+00:00'), isoIn(60_000).replace(/\.\d+/, '')]) {
      await a.ok(kind.call, { ...kind.asks(freshId('c')), expires_at });
    }
    expect(await relay.history(agent)).toHaveLength(3);
  });

  it('expires while no socket is open at all; the agent finds the result', async () => {
    const { agent, devices, a, d } = await relay.room(1);
    const expires_at = isoIn(SOON_MS);
    const { seq } = await a.ok(kind.call, { ...kind.asks('c'), expires_at });
    await Promise.all([a.end(), d[0]!.end()]);
    const entry = await settledEntry(agent);
    expect(entry).toMatchObject({ call_id: 'c', status: 'expired', settled_by: { kind: 'relay' } });
    expect(Date.parse(entry.settled_at!)).toBeGreaterThanOrEqual(Date.parse(expires_at));
    const back = await relay.join(agent, { resume: { epoch: a.welcome.epoch, seq } });
    expect(back.replay).toMatchObject([{ type: kind.result, sender: { kind: 'relay' }, payload: kind.ended('expired') }]);
    const phone = await relay.join(devices[0]!);
    expect([phone.replay, phone.welcome.pending_calls]).toEqual([[], []]);
    expect(await phone.refused(kind.result, kind.answers('c'))).toBe('already_settled');
  });

  it('expires while the relay is dead, and is settled before anybody could see it pending', async () => {
    const { agent, devices, a } = await relay.room(1);
    const { seq } = await a.ok(kind.call, { ...kind.asks('c'), expires_at: isoIn(SOON_MS) });
    await relay.process.end('SIGKILL');
    await sleep(SOON_MS);
    await relay.process.start();
    const phone = await relay.join(devices[0]!);
    expect([phone.welcome.pending_calls, phone.replay]).toEqual([[], []]);
    const back = await relay.join(agent, { resume: { epoch: a.welcome.epoch, seq } });
    expect(back.welcome.pending_calls).toEqual([]);
    expect(back.replay).toMatchObject([{ type: kind.result, payload: kind.ended('expired') }]);
  });

  it('expires after the relay was killed and started again, with nobody connecting', async () => {
    const { agent, a } = await relay.room(1);
    await a.ok(kind.call, { ...kind.asks('c'), expires_at: isoIn(2_000) });
    await relay.crash();
    expect(await settledEntry(agent)).toMatchObject({ status: 'expired', settled_by: { kind: 'relay' } });
  });

  it('each at its own time, the later one undisturbed', async () => {
    const { a, d } = await relay.room(1);
    const [first, second] = [isoIn(1_000), isoIn(1_400)];
    await a.ok(kind.call, { ...kind.asks('third'), expires_at: isoIn(60_000) });
    await a.ok(kind.call, { ...kind.asks('second'), expires_at: second });
    await a.ok(kind.call, { ...kind.asks('first'), expires_at: first });
    await a.until('two results', () => a.of(kind.result).length === 2 || undefined);
    expect(a.of(kind.result).map(({ payload }) => payload.call_id)).toEqual(['first', 'second']);
    await d[0]!.ok(kind.result, kind.answers('third'));
  });

  it('one that was answered in time never expires', async () => {
    const { agent, a, d } = await relay.room(1);
    await a.ok(kind.call, { ...kind.asks('c'), expires_at: isoIn(1_500) });
    await d[0]!.ok(kind.result, kind.answers('c'));
    await sleep(1_900);
    await a.sync();
    expect(a.of(kind.result)).toHaveLength(1);
    expect((await relay.audit(agent))[0]).toMatchObject({ status: 'completed' });
  });

  it('a targeted one expires for its device alone', async () => {
    const { devices, a, d } = await relay.room(2);
    await a.ok(kind.call, { ...kind.asks('c'), expires_at: isoIn(1_000) }, { target: { kind: 'app', id: devices[0]!.id } });
    await d[0]!.wait('system.settled');
    await Promise.all([a.wait(kind.result), d[1]!.sync()]);
    expect(d[1]!.of('system.settled')).toEqual([]);
  });
});
