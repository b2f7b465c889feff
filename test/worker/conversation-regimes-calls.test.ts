/** Calls and surfaces three times over: undisturbed, asleep before each frame, and evicted with all sockets cut before each frame. */
import { runDurableObjectAlarm } from 'cloudflare:test';
import { afterEach, describe, expect, it } from 'vitest';
import { call } from './getting-in-client.ts';
import { Client, REGIMES, Stage } from './conversation-stage.ts';

let stage: Stage;
afterEach(() => stage.end());

const asks = (call_id: string, more: object = {}) => ({ name: 'choice', action: 'select', call_id, arguments: { question: '?' }, ...more });
const answers = (call_id: string, message = 'a') => ({ name: 'choice', action: 'select', call_id, result: { message } });
const settled = (client: Client) => client.of('system.settled').map(({ payload }) => [payload.call_id, payload.status]);

describe.each(REGIMES)('with eviction %s', (regime) => {
  const open = async (count = 1) => (stage = await Stage.open(regime, count));

  it('a call is asked once and answered once, and asking again brings the answer', async () => {
    const { agent, devices } = await open(2);
    const asked = await agent.ok('tool.call', asks('c'));
    expect(await agent.ok('tool.call', asks('c'))).toMatchObject({ duplicate: true, seq: asked.seq });
    expect(await agent.ask('tool.call', asks('c', { arguments: {} }))).toMatchObject({ code: 'call_id_conflict' });
    for (const client of devices) await client.message(asked.id);
    const result = await devices[0]!.ok('tool.result', answers('c'));
    await agent.message(result.id);
    expect(await devices[0]!.ok('tool.result', answers('c'))).toMatchObject({ duplicate: true, seq: result.seq });
    expect(await devices[1]!.ask('tool.result', answers('c', 'b'))).toMatchObject({ code: 'already_settled' });
    await devices[1]!.wait('system.settled');
    const repeats = agent.repeats.length;
    expect(await agent.ok('tool.call', asks('c'))).toMatchObject({ duplicate: true });
    await agent.sync();
    expect(agent.repeats.slice(repeats).map(({ id, seq }) => [id, seq])).toEqual([[result.id, result.seq]]);
    expect(agent.of('tool.result')).toHaveLength(1);
    for (const client of devices) expect(client.of('tool.call')).toHaveLength(1);
  });

  it('two devices answer: one winner, and everybody knows', async () => {
    const { agent, devices } = await open(3);
    await agent.ok('tool.call', asks('c'));
    await stage.between();
    const said = await Promise.all(devices.map(({ bearer }, i) => post(bearer, 'tool.result', answers('c', `${i}`))));
    expect(said.map(({ status }) => status).toSorted()).toEqual([202, 409, 409]);
    await agent.wait('tool.result');
    await agent.sync();
    expect(agent.of('tool.result')).toHaveLength(1);
    const { json } = await call('GET', `/v1/conversations/${agent.bearer.conversation}/audit`, { bearer: agent.bearer.token });
    expect(json.entries).toMatchObject([{ call_id: 'c', status: 'completed', settled_by: { kind: 'app' } }]);
    if (regime === 'close') return;
    for (const client of devices) expect(settled(client)).toContainEqual(['c', 'completed']);
  });

  it('cancelled by the agent: one result of the relay, and late answers are late', async () => {
    const { agent, devices } = await open();
    await agent.ok('tool.call', asks('c'));
    const cancel = await agent.ok('tool.cancel', { call_id: 'c' });
    expect(await agent.wait('tool.result')).toMatchObject({ sender: { kind: 'relay' }, payload: { error: { code: 'cancelled' } } });
    expect(await agent.ok('tool.cancel', { call_id: 'c' })).toMatchObject({ duplicate: true });
    expect(await agent.ok('tool.cancel', { call_id: 'c' }, { id: cancel.id })).toMatchObject({ duplicate: true });
    expect(await devices[0]!.ask('tool.result', answers('c'))).toMatchObject({ code: 'already_settled' });
    await devices[0]!.sync();
    expect(settled(devices[0]!)).toContainEqual(['c', 'cancelled']);
    expect(agent.of('tool.result')).toHaveLength(1);
  });

  it('expires when the alarm rings, whoever is there', async () => {
    const { agent, devices } = await open(2);
    const expires_at = new Date(Date.now() + 400).toISOString();
    await agent.ok('tool.call', asks('soon', { expires_at }));
    await agent.ok('tool.call', asks('later', { expires_at: new Date(Date.now() + 3_600_000).toISOString() }));
    await stage.between();
    await scheduler.wait(Math.max(0, Date.parse(expires_at) - Date.now()) + 5);
    // It may have rung by itself already.
    await runDurableObjectAlarm(stage.stub);
    expect(await agent.wait('tool.result')).toMatchObject({ sender: { kind: 'relay' }, payload: { call_id: 'soon', error: { code: 'expired' } } });
    // Whoever was cut off at that moment finds it in the welcome.
    for (const client of devices) if (regime !== 'close') await client.wait('system.settled');
    expect(await devices[0]!.ask('tool.result', answers('soon'))).toMatchObject({ code: 'already_settled' });
    if (regime === 'close') expect(devices.map(({ welcome }) => welcome!.pending_calls)).toEqual([['later'], ['later']]);
    // The next one is armed.
    expect(await runDurableObjectAlarm(stage.stub)).toBe(true);
    await devices[0]!.ok('tool.result', answers('later'));
    await agent.sync();
    expect(agent.of('tool.result').map(({ payload }) => payload.call_id)).toEqual(['soon', 'later']);
  });

  it('expires by the clock even when no alarm has rung', async () => {
    const { agent, devices } = await open();
    devices[0]!.leave();
    const expires_at = new Date(Date.now() + 200).toISOString();
    await agent.ok('tool.call', asks('c', { expires_at }));
    await stage.between();
    await scheduler.wait(Math.max(0, Date.parse(expires_at) - Date.now()) + 1);
    const late = await new Client(stage, devices[0]!.bearer).join();
    expect([late.welcome!.pending_calls, late.messages]).toEqual([[], []]);
    await agent.wait('tool.result');
    late.leave();
  });

  it('calls wait for a device that is away, with all the memory gone in between', async () => {
    const { agent, devices } = await open();
    devices[0]!.leave();
    const first = await agent.ok('tool.call', asks('one'));
    await agent.ok('tool.call', asks('two'));
    await agent.ok('tool.cancel', { call_id: 'two' });
    const third = await agent.ok('lineup.v1.app.call', { call_id: 'three', capability: 'a.b', reason: 'x', arguments: {} });
    await stage.between();
    const fresh = await new Client(stage, devices[0]!.bearer).join();
    expect(fresh.welcome!.pending_calls).toEqual(['one', 'three']);
    expect(fresh.messages).toEqual([first.id, third.id]);
    fresh.leave();
  });

  it('an agent that lost its mind cancels what it asked', async () => {
    const { agent, devices } = await open();
    await agent.ok('tool.call', asks('one'));
    await agent.ok('lineup.v1.app.call', { call_id: 'two', capability: 'a.b', reason: 'x', arguments: {} });
    await stage.between();
    await agent.join({ cancel_pending: true });
    expect(agent.welcome!.pending_calls).toEqual([]);
    await devices[0]!.sync();
    expect(settled(devices[0]!)).toEqual([
      ['one', 'cancelled'],
      ['two', 'cancelled'],
    ]);
  });

  it('surfaces open, change, and close; who comes later sees the newest state', async () => {
    const { agent, devices } = await open(2);
    const app = { id: 'com.x.y', name: 'x', version: '1.0.0', html: '<p>' };
    const opened = await agent.ok('lineup.v1.ui.open', { instance_id: 'i', app, state: { n: 0 } });
    for (let n = 1; n <= 3; n++) await agent.ok('lineup.v1.ui.patch', { instance_id: 'i', state: { n } });
    await stage.between();
    const fresh = await new Client(stage, devices[1]!.bearer).join();
    expect(fresh.welcome!.surfaces).toEqual(['i']);
    expect(fresh.messages[0]).toBe(opened.id);
    expect(fresh.of('lineup.v1.ui.patch').map(({ payload }) => payload.state)).toEqual([{ n: 3 }]);
    fresh.leave();
    await agent.ok('lineup.v1.ui.open', { instance_id: 'i', app, state: { n: 10 } });
    const event = await devices[0]!.ok('lineup.v1.ui.event', { instance_id: 'i', event: 'close', data: {} });
    await agent.message(event.id);
    const close = await devices[1]!.wait('lineup.v1.ui.close');
    expect(close).toMatchObject({ sender: { kind: 'relay' }, payload: { instance_id: 'i', reason: 'user' } });
    expect(await agent.ask('lineup.v1.ui.patch', { instance_id: 'i', state: {} })).toMatchObject({ code: 'unknown_instance' });
    await devices[0]!.sync();
    // A socket that was cut meanwhile is another socket than the one that closed it.
    expect(devices[0]!.of('lineup.v1.ui.close')).toHaveLength(regime === 'close' ? 1 : 0);
    expect(agent.of('lineup.v1.ui.close')).toEqual([]);
    await agent.join();
    expect(agent.welcome!.surfaces).toEqual([]);
  });
});

async function post(bearer: { token: string; conversation: string }, type: string, payload: object) {
  const body = { v: 1, id: crypto.randomUUID(), type, payload };
  return await call('POST', `/v1/conversations/${bearer.conversation}/messages`, { bearer: bearer.token, body });
}
