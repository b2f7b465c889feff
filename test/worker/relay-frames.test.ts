/** The golden frames of what the relay sends (test/fixtures/frames/relay): a whole conversation is played, and each frame has exactly the shape that it shows. */
import { describe, expect, it } from 'vitest';
import golden from '../fixtures/frames/relay/frames.json';
import { call, connect, conversation, enrol, join, pair, type Bearer, type TestSocket } from './getting-in-client.ts';

interface Frame {
  type: string;
  id?: string;
  payload: Record<string, unknown>;
  [field: string]: unknown;
}

/** What a value is made of: keys, types, and which kind of id or time a string is. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value === 'string') return /^(ag|dv|cv)_[a-z0-9]{16,}$/.exec(value)?.[1] ?? (isTime(value) ? 'time' : 'string');
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, shape(child)]));
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);
}

const goldenFrame = (name: string): Frame => {
  const found = golden.frames.find((each) => each.name === name);
  if (!found) throw new Error(`no golden frame "${name}"`);
  return found.frame;
};

/** Waits for the first frame that matches. */
async function until(socket: TestSocket, matches: (frame: Frame) => boolean, from = 0): Promise<Frame> {
  for (let i = 0; i < 300; i++) {
    const frame = socket.frames.slice(from).find((each) => matches(each));
    if (frame) return frame;
    await scheduler.wait(10);
  }
  throw new Error(`not among ${socket.frames.map(({ type }) => type).join(', ')}`);
}

const of =
  (type: string, about: Record<string, unknown> = {}) =>
  (frame: Frame) =>
    frame.type === type && Object.entries(about).every(([key, value]) => JSON.stringify(frame.payload[key]) === JSON.stringify(value));
const withId = (id: string) => (frame: Frame) => frame.id === id && !frame.type.startsWith('system.');

const INVENTORY = { revision: 'catalog-42', standard_components: [], applications: [], capabilities: [] };
const OPEN = { instance_id: 'weather.dashboard.01', app: { id: 'com.example.weather', name: 'Weather', version: '1.0.0', html: '<p>' }, state: {} };

/** Plays everything that makes the relay say something, and gives what it said, by the name of its golden frame. */
async function play(): Promise<Map<string, Frame>> {
  const seen = new Map<string, Frame>();
  const keep = async (name: string, frame: Promise<Frame>) => void seen.set(name, await frame);
  const agent = await enrol();
  const phone = await pair(agent);
  await keep('welcome of a device, in an empty conversation', firstWelcome(phone));
  const newcomer = await enrol();
  await pair(newcomer);
  await keep('welcome of an agent, in an empty conversation', firstWelcome(newcomer));

  // Two phones and their agent, all there.
  const [as, ds] = [await join(agent), await join(phone)];
  const tablet = await pair(agent, 'Tablet');
  await keep('a device was paired', until(ds, of('system.paired')));
  const ts = await join(tablet);
  await keep('presence: came', until(as, of('system.presence', { online: true })));
  await keep('the end of the replay', until(ds, of('system.synced')));
  ds.send({ type: 'system.ping', id: 'p1', payload: { at: 5 } });
  await keep('pong', until(ds, of('system.pong', { ping_id: 'p1' })));

  // Messages and their answers.
  as.send({ type: 'text', id: 'a1', payload: { content: 'Hello' } });
  await keep('a text of the agent', until(ds, withId('a1')));
  as.send({ type: 'text', id: 'a2', target: { kind: 'app', id: phone.id }, payload: { content: 'Hello' } });
  await keep('a text of the agent to one device', until(ds, withId('a2')));
  ds.send({ type: 'text', id: 'd1', payload: { content: 'Hello' } });
  await keep('a text of a device', until(as, withId('d1')));
  await keep('ack of a logged message', until(ds, of('system.ack', { ref: 'd1' })));
  const before = ds.frames.length;
  ds.send({ type: 'text', id: 'd1', payload: { content: 'Hello' } });
  await keep('ack of a repeat', until(ds, of('system.ack', { ref: 'd1' }), before));
  as.send({ type: 'status', id: 'a3', payload: { state: 'working' } });
  await keep('a kept message', until(ds, withId('a3')));
  await keep('ack of a kept message', until(as, of('system.ack', { ref: 'a3' })));
  as.send({ type: 'text.delta', id: 'a4', payload: { message_id: 'm', offset: 0, delta: 'x' } });
  await keep('an ephemeral message', until(ds, withId('a4')));
  ds.send({ type: 'text', id: 'd2', payload: {} });
  await keep('error about a message', until(ds, of('system.error', { ref: 'd2' })));
  ds.send('{');
  await keep('error about a frame without an id', until(ds, of('system.error', { ref: null })));
  ds.send({ type: 'system.received', payload: { seq: 1 } });
  await keep('receipt', until(as, of('system.receipt')));

  // Calls, and how they end.
  const toolCall = (id: string) => ({ type: 'tool.call', id, payload: { name: 'choice', call_id: id, arguments: {} } });
  for (const id of ['c1', 'c2', 'c4']) as.send(toolCall(id));
  await keep('a pending call', until(ds, withId('c1')));
  await until(ts, withId('c1'));
  ts.send({ type: 'tool.result', id: 't1', payload: { name: 'choice', call_id: 'c1', result: { message: 'red' } } });
  await keep('the result of a device', until(as, withId('t1')));
  await keep('a call was settled by another device', until(ds, of('system.settled', { call_id: 'c1' })));
  as.send({ type: 'tool.cancel', payload: { call_id: 'c2' } });
  await keep('the result of a cancelled tool call, made by the relay', until(as, of('tool.result', { call_id: 'c2' })));
  await keep('a call was settled by its agent', until(ds, of('system.settled', { call_id: 'c2' })));
  ds.send({ type: 'client.inventory', payload: INVENTORY });
  await until(as, of('lineup.v1.client.inventory'));
  as.send({ type: 'app.call', payload: { call_id: 'c3', capability: 'clipboard.write', reason: 'x', arguments: {} } });
  await keep('the result of an undeclared app call, made by the relay', until(as, of('lineup.v1.app.result', { call_id: 'c3' })));

  // Surfaces.
  as.send({ type: 'ui.open', id: 'a7', payload: OPEN });
  await until(ds, withId('a7'));
  ds.send({ type: 'ui.event', payload: { instance_id: OPEN.instance_id, event: 'close', data: {} } });
  await keep('the end of a surface that its user closed, for the other devices', until(ts, of('lineup.v1.ui.close')));
  as.send({ type: 'ui.open', id: 'a8', payload: OPEN });
  await until(ds, withId('a8'));

  // What happens to conversations and devices.
  const second = await conversation(agent);
  await keep('a conversation was created', until(ds, of('system.conversation', { change: 'created' })));
  await call('PATCH', `/v1/conversations/${agent.conversation}`, { bearer: agent.token, body: { title: 'Holidays' } });
  await keep('a conversation was renamed', until(ds, of('system.conversation', { change: 'renamed' })));
  await call('PATCH', `/v1/conversations/${second}`, { bearer: agent.token, body: { title: 'Gone' } });
  await call('DELETE', `/v1/conversations/${second}`, { bearer: agent.token });
  await keep('a conversation was deleted', until(ds, of('system.conversation', { change: 'deleted' })));
  await call('DELETE', `/v1/devices/${tablet.id}`, { bearer: agent.token });
  await keep('a device was revoked', until(ds, of('system.revoked')));

  // Coming back.
  const welcome = await until(ds, of('system.welcome'));
  const { epoch } = welcome.payload;
  ds.send({ type: 'tool.list', payload: { tools: [{ name: 'choice', type: 'action' }] } });
  await until(as, of('tool.list'));
  const again = await joinAt(phone, { epoch: String(epoch), seq: 1 });
  await keep('welcome of a device that resumes, with everything that can be open', until(again, of('system.welcome')));
  await keep('a call that is settled, in a replay', until(again, withId('c1')));
  const agentAgain = await join(agent);
  await keep('welcome of an agent, with the inventory of a device', until(agentAgain, of('system.welcome')));
  for (const socket of [ds, again]) socket.end();
  await keep('presence: went', until(agentAgain, of('system.presence', { online: false })));
  agentAgain.send({ type: 'tool.list', id: 'a5', payload: {} });
  await keep('the tools of a device that is away', until(agentAgain, of('tool.list', { reply_to: 'a5' })));
  const lonely = await enrol();
  const lonelySocket = await join(lonely);
  lonelySocket.send({ type: 'tool.list', id: 'a6', payload: {} });
  await keep('no tools at all', until(lonelySocket, of('tool.list', { reply_to: 'a6' })));
  for (const socket of [agentAgain, lonelySocket]) socket.end();
  return seen;
}

async function firstWelcome(who: Bearer): Promise<Frame> {
  const socket = await join(who);
  socket.end();
  return until(socket, of('system.welcome'));
}

async function joinAt(who: Bearer, resume: { epoch: string; seq: number }): Promise<TestSocket> {
  const socket = await connect(who.conversation, who.token);
  socket.send({ type: 'system.hello', payload: { name: 'Test', session: 'again', resume } });
  await socket.wait('system.synced');
  return socket;
}

describe('what the relay sends', () => {
  it('has the shape of the golden frames, each of them', async () => {
    const seen = await play();
    expect([...seen.keys()].toSorted()).toEqual(golden.frames.map(({ name }) => name).toSorted());
    for (const [name, frame] of seen) expect({ name, frame: shape(frame) }).toEqual({ name, frame: shape(goldenFrame(name)) });
  });
});
