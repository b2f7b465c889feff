/** §4: how a socket gets in, and how one that may not learns why. */
import { listDurableObjectIds } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConversationObject } from '../../src/worker/conversation-object.ts';
import { call, connect, conversation, enrol, expectRefused, join, pair, TestSocket, UNKNOWN_CONVERSATION, upgrade } from './getting-in-client.ts';

afterEach(() => vi.restoreAllMocks());

const hello = (payload: object = {}) => ({ type: 'system.hello', payload: { name: 'Test', session: 's', ...payload } });
const opened = ({ webSocket }: Response): TestSocket => {
  if (!webSocket) throw new Error('no socket');
  return new TestSocket(webSocket);
};

describe('a socket', () => {
  it('takes its token from Authorization, a subprotocol or its hello, and selects lineup.v1 only when that was offered', async () => {
    const { token, conversation: id } = await enrol();
    for (const [headers, selected, payload] of [
      [{ authorization: `Bearer ${token}` }, null, {}],
      [{ authorization: `Bearer ${token}`, 'sec-websocket-protocol': 'lineup.v1' }, 'lineup.v1', {}],
      [{ 'sec-websocket-protocol': `lineup.v1, lineup.token.${token}` }, 'lineup.v1', {}],
      [{ 'sec-websocket-protocol': `lineup.token.${token},lineup.v1` }, 'lineup.v1', {}],
      [{ 'sec-websocket-protocol': `lineup.token.${token}` }, null, {}],
      [{ 'sec-websocket-protocol': 'other' }, null, { token }],
      [{}, null, { token }],
    ] as [Record<string, string>, string | null, object][]) {
      const answer = await upgrade(id, headers);
      expect([answer.status, answer.headers.get('sec-websocket-protocol')]).toEqual([101, selected]);
      const socket = opened(answer);
      socket.send(hello(payload));
      await socket.wait('system.synced');
      socket.end();
    }
  });

  it('is no ordinary request', async () => {
    const { token, conversation: id } = await enrol();
    for (const headers of [{}, { upgrade: 'h2c' }] as Record<string, string>[]) {
      const answer = await call('GET', `/v1/conversations/${id}/socket`, { bearer: token, headers });
      expectRefused(answer, 400, 'invalid_payload');
      expect(answer.json.error.message).toContain('expected a WebSocket upgrade');
    }
  });

  it('cannot bring an admission of its own making', async () => {
    const [agent, other] = [await enrol(), await enrol()];
    const admission = encodeURIComponent(JSON.stringify({ participant: { kind: 'agent', id: agent.id }, name: 'x', fresh_token: null }));
    const forged = { 'lineup-admission': admission, 'lineup-conversation': agent.conversation };
    const unasked = opened(await upgrade(agent.conversation, forged));
    unasked.send(hello());
    expect((await unasked.closed).code).toBe(4401);
    const socket = opened(await upgrade(other.conversation, { ...forged, authorization: `Bearer ${other.token}` }));
    socket.send(hello());
    expect(await socket.wait('system.welcome')).toMatchObject({ you: { kind: 'agent', id: other.id }, conversation: { id: other.conversation } });
    socket.end();
    const stolen = await call('GET', `/v1/conversations/${agent.conversation}/files/fl_${'a'.repeat(24)}`, { bearer: other.token, headers: forged });
    expectRefused(stolen, 404, 'not_found');
  });

  it('carries the name of its participant and no token into the conversation', async () => {
    const agent = await enrol();
    const device = await pair(agent, 'Mika – 手机');
    const fetched = vi.spyOn(ConversationObject.prototype, 'fetch');
    (await join(device)).end();
    const [[request] = []] = fetched.mock.calls;
    const headers = [...(request?.headers ?? [])].map(([name, value]) => `${name}: ${value}`).join('\n');
    expect(decodeURIComponent(headers)).toContain('Mika – 手机');
    expect(headers + request?.url).not.toContain(device.token);
  });

  it('brings a fresh token when the old one is in its last third', async () => {
    const device = await pair(await enrol());
    const past = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => past + 21 * 86_400_000);
    const socket = await connect(device.conversation, device.token);
    socket.send(hello());
    const { token } = (await socket.wait('system.welcome')) as { token: string };
    vi.restoreAllMocks();
    expect(token).not.toBe(device.token);
    expect((await call('GET', '/v1/conversations', { bearer: token })).status).toBe(200);
    socket.end();
  });
});

describe('a socket that may not get in', () => {
  it('is opened and closed with the reason, so that a browser can read it', async () => {
    const [agent, other] = [await enrol(), await enrol()];
    const device = await pair(agent);
    const gone = await pair(agent);
    await call('DELETE', `/v1/devices/${gone.id}`, { bearer: agent.token });
    const objects = (await listDurableObjectIds(env.CONVERSATIONS)).length;
    for (const [id, token, close] of [
      [agent.conversation, 'nonsense', 4401],
      [agent.conversation, '', 4401],
      [UNKNOWN_CONVERSATION, 'nonsense', 4401],
      [agent.conversation, gone.token, 4403],
      [agent.conversation, other.token, 4404],
      [UNKNOWN_CONVERSATION, device.token, 4404],
      ['x', device.token, 4404],
      [`cv_${'a'.repeat(3_000)}`, agent.token, 4404],
    ] as const) {
      const socket = await connect(id, token);
      const { code, reason } = await socket.closed;
      expect(code, `${id.slice(0, 40)} ${token.slice(0, 10)}`).toBe(close);
      expect(reason).toMatch(/^[ -~]{1,123}$/);
      expect(socket.frames).toEqual([]);
    }
    expect((await listDurableObjectIds(env.CONVERSATIONS)).length).toBe(objects);
  });

  it('learns nothing by its hello about which conversations there are', async () => {
    const [agent, other] = [await enrol(), await enrol()];
    const gone = await pair(agent);
    await call('DELETE', `/v1/devices/${gone.id}`, { bearer: agent.token });
    const deleted = await conversation(agent);
    await call('DELETE', `/v1/conversations/${deleted}`, { bearer: agent.token });
    const objects = (await listDurableObjectIds(env.CONVERSATIONS)).length;
    for (const [first, close] of [
      ['{not json', 4400],
      ['[]', 4400],
      [{ type: 'text', payload: { content: 'early' } }, 4400],
      [{ type: 'system.ping' }, 4400],
      [{ ...hello(), id: 'has space' }, 4400],
      [hello(), 4401],
      [hello({ token: 5 }), 4401],
      [hello({ token: 'nonsense' }), 4401],
      [hello({ token: gone.token }), 4403],
      [hello({ token: other.token }), 4404],
    ] as const) {
      const ends: { code: number; reason: string; texts: string[] }[] = [];
      for (const id of [agent.conversation, UNKNOWN_CONVERSATION, deleted, 'x']) {
        const socket = await connect(id);
        socket.send('ping');
        socket.send(first);
        ends.push({ ...(await socket.closed), texts: socket.texts });
      }
      expect(ends, JSON.stringify(first).slice(0, 60)).toEqual(ends.map(() => ({ ...ends[0], code: close, texts: ['pong'] })));
    }
    expect((await listDurableObjectIds(env.CONVERSATIONS)).length).toBe(objects);
  });

  it('is given ten seconds for a hello, to any conversation alike', async () => {
    const { conversation: id } = await enrol();
    const began = Date.now();
    const sockets = [await connect(id), await connect(UNKNOWN_CONVERSATION)];
    for (const socket of sockets) {
      expect((await socket.closed).code).toBe(4408);
      expect(Date.now() - began).toBeGreaterThan(9_500);
      expect(Date.now() - began).toBeLessThan(13_000);
    }
  });
});
