/** §3 and §6, item 9: what the audit tells of calls, to whom, and what it leaves out. */
import { describe, expect, it } from 'vitest';
import { OWNER_KEY } from '../support/relay-process.ts';
import { isoIn, useRelay } from './people.ts';

const relay = useRelay();
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('§6, 9 audit', () => {
  it('tells every way that a call can go, newest first, without arguments and results', async () => {
    const { agent, devices, a, d } = await relay.room(2);
    const by = (i: number) => ({ kind: 'app', id: devices[i]!.id });
    const tool = (call_id: string, more: object = {}) =>
      a.ok('tool.call', { name: 'choice', action: 'select', call_id, arguments: { secret: 'ARGUMENT' }, ...more });
    const app = (call_id: string, more: object = {}) =>
      a.ok('app.call', { call_id, capability: 'clipboard.write', reason: 'because', arguments: { secret: 'ARGUMENT' }, ...more });
    const answer = (i: number, call_id: string, said: object) => d[i]!.ok('tool.result', { name: 'choice', action: 'select', call_id, ...said });
    const asked = { asked_by: { kind: 'agent', id: agent.id }, asked_at: TIME };
    const settled = (status: string, settled_by: object) => ({ ...asked, settled_at: TIME, status, settled_by });
    const toolFacts = (call_id: string) => ({ call_id, kind: 'tool', name: 'choice', action: 'select' });
    const appFacts = (call_id: string) => ({ call_id, kind: 'app', capability: 'clipboard.write', reason: 'because' });

    await tool('completed');
    await answer(0, 'completed', { result: { message: 'RESULT' } });
    await tool('rejected');
    await answer(1, 'rejected', { error: { code: 'rejected', message: 'RESULT' } });
    await tool('failed');
    await answer(0, 'failed', { error: { code: 'execution_error', message: 'RESULT' } });
    await tool('unsupported');
    await answer(0, 'unsupported', { error: { code: 'unknown_tool', message: 'RESULT' } });
    await tool('cancelled');
    await a.ok('tool.cancel', { call_id: 'cancelled' });
    await tool('expired', { expires_at: '2020-01-01T00:00:00Z' });
    await app('app');
    await d[1]!.ok('app.result', { call_id: 'app', status: 'completed', result: { text: 'RESULT' } });
    await app('app-cancelled');
    await a.ok('app.cancel', { call_id: 'app-cancelled' });
    await tool('without-action', { action: undefined });
    await app('app-pending', { expires_at: isoIn(60_000) });
    await d[0]!.ok('client.inventory', { revision: 'r', standard_components: [], applications: [], capabilities: [] });
    await app('undeclared');

    const entries = await relay.audit(agent);
    expect(entries).toEqual([
      { ...appFacts('undeclared'), ...settled('unsupported', { kind: 'relay' }) },
      { ...appFacts('app-pending'), ...asked, settled_at: null, status: 'pending', settled_by: null },
      { call_id: 'without-action', kind: 'tool', name: 'choice', ...asked, settled_at: null, status: 'pending', settled_by: null },
      { ...appFacts('app-cancelled'), ...settled('cancelled', { kind: 'agent', id: agent.id }) },
      { ...appFacts('app'), ...settled('completed', by(1)) },
      { ...toolFacts('expired'), ...settled('expired', { kind: 'relay' }) },
      { ...toolFacts('cancelled'), ...settled('cancelled', { kind: 'agent', id: agent.id }) },
      { ...toolFacts('unsupported'), ...settled('unsupported', by(0)) },
      { ...toolFacts('failed'), ...settled('failed', by(0)) },
      { ...toolFacts('rejected'), ...settled('rejected', by(1)) },
      { ...toolFacts('completed'), ...settled('completed', by(0)) },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/ARGUMENT|RESULT/);
    await relay.crash();
    expect(await relay.audit(agent)).toEqual(entries);
  });

  it('is for the agent and the owner', async () => {
    const { agent, devices, a } = await relay.room(1);
    await a.ok('tool.call', { name: 'choice', call_id: 'c', arguments: {} });
    const path = `/v1/conversations/${agent.conversation}/audit`;
    for (const as of [agent, OWNER_KEY]) expect((await relay.call('GET', path, { as })).json.entries).toMatchObject([{ call_id: 'c' }]);
    expect(await relay.call('GET', path, { as: devices[0]! })).toMatchObject({ status: 403, code: 'forbidden' });
    const other = await relay.enrol();
    for (const as of [other, await relay.pair(other)])
      expect(await relay.call('GET', path, { as })).toMatchObject({ status: 404, code: 'not_found' });
    expect(await relay.call('GET', path)).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(await relay.call('GET', path, { as: `${OWNER_KEY}x` })).toMatchObject({ status: 401 });
  });

  it('takes a limit up to 100', async () => {
    const { agent, a } = await relay.room(1);
    const path = `/v1/conversations/${agent.conversation}/audit`;
    for (let i = 0; i < 60; i++) a.send('tool.call', { name: 'choice', call_id: `c${i}`, arguments: {} });
    await a.sync();
    const ids = async (query: string) => (await relay.audit(agent, query)).map(({ call_id }) => call_id);
    expect(await ids('?limit=3')).toEqual(['c59', 'c58', 'c57']);
    expect((await ids('')).length).toBe(50);
    expect((await ids('?limit=100')).length).toBe(60);
    for (const query of ['?limit=0', '?limit=-1', '?limit=101', '?limit=1.5', '?limit=x', '?limit=']) {
      expect((await relay.call('GET', path + query, { as: agent })).status, query).toBe(400);
    }
  });
});
