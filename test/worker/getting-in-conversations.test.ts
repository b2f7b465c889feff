/** §3: conversations, and what is in them, over HTTP; for their own participants and for nobody else. */
import { listDurableObjectIds } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConversationObject } from '../../src/worker/conversation-object.ts';
import {
  call,
  closeCodeFor,
  conversation,
  enrol,
  expectRefused,
  join,
  OWNER_KEY,
  pair,
  UNKNOWN_CONVERSATION,
  type Bearer,
} from './getting-in-client.ts';

afterEach(() => vi.restoreAllMocks());

const text = (content: string) => ({ v: 1, id: crypto.randomUUID(), type: 'text', payload: { content } });
const post = (who: Bearer, envelope: object, id = who.conversation) =>
  call('POST', `/v1/conversations/${id}/messages`, { bearer: who.token, body: envelope });
const history = (who: Bearer, query = '', id = who.conversation) => call('GET', `/v1/conversations/${id}/messages${query}`, { bearer: who.token });

/** Every call on one conversation. */
const calls = (id: string): [method: string, path: string, body?: object][] => [
  ['PATCH', `/v1/conversations/${id}`, { title: 'mine' }],
  ['DELETE', `/v1/conversations/${id}`],
  ['GET', `/v1/conversations/${id}/messages`],
  ['POST', `/v1/conversations/${id}/messages`, text('x')],
  ['GET', `/v1/conversations/${id}/audit`],
  ['POST', `/v1/conversations/${id}/files`, {}],
  ['GET', `/v1/conversations/${id}/files/fl_${'a'.repeat(24)}`],
];
const MALFORMED = [
  'x',
  'cv_',
  'cv_SHOUT00000000000000',
  'cv_%00aaaaaaaaaaaaaaaa',
  `ag_${'a'.repeat(20)}`,
  `cv_${'a'.repeat(3_000)}`,
  '%F0%9F%92%A9',
  "cv_'%20OR%201=1--",
  '%',
  'cv_%ZZ',
];

describe('conversations', () => {
  it("are made, listed and renamed by an agent and its devices, and every one of the agent's hears of it", async () => {
    const agent = await enrol();
    const device = await pair(agent);
    const [first, phone] = [await join(agent), await join(device)];
    const made = await call('POST', '/v1/conversations', { bearer: device.token, body: { title: ' Second ' } });
    const id = made.json.conversation_id;
    expect([made.status, made.json]).toEqual([
      201,
      {
        conversation_id: expect.stringMatching(/^cv_[a-z0-9]{16,}$/),
        title: 'Second',
        created_at: expect.any(String),
        last_message_at: null,
        head_seq: 0,
      },
    ]);
    for (const socket of [first, phone]) expect(await socket.wait('system.conversation', id)).toMatchObject({ change: 'created' });
    expect((await post(agent, text('hello'), id)).json).toEqual({ id: expect.any(String), seq: 1, duplicate: false });
    for (const { token } of [agent, device]) {
      const { conversations } = (await call('GET', '/v1/conversations', { bearer: token })).json;
      expect(conversations).toHaveLength(2);
      expect(conversations).toContainEqual({ ...made.json, last_message_at: expect.any(String), head_seq: 1 });
    }
    const renamed = await call('PATCH', `/v1/conversations/${id}`, { bearer: agent.token, body: { title: 'Third' } });
    expect([renamed.status, renamed.json]).toEqual([200, { ...made.json, title: 'Third', last_message_at: expect.any(String), head_seq: 1 }]);
    expect(await phone.wait('system.conversation', 'Third')).toMatchObject({ change: 'renamed' });
    expect((await call('PATCH', `/v1/conversations/${id}`, { bearer: agent.token, body: { title: null } })).json.title).toBeNull();
    for (const title of [5, {}, 'x'.repeat(257)]) {
      expectRefused(await call('PATCH', `/v1/conversations/${id}`, { bearer: agent.token, body: { title } }), 400, 'invalid_payload');
      expectRefused(await call('POST', '/v1/conversations', { bearer: agent.token, body: { title } }), 400, 'invalid_payload');
    }
    expect((await call('POST', '/v1/conversations', { bearer: agent.token })).json.title).toBeNull();
    first.end();
    phone.end();
  });

  it('are deleted with everything in them: sockets 4404, and every id in them unknown', async () => {
    const agent = await enrol();
    const device = await pair(agent);
    const id = await conversation(agent, 'Second');
    const file = await call('POST', `/v1/conversations/${id}/files`, { bearer: agent.token, raw: 'x', headers: { 'content-type': 'text/plain' } });
    await post(agent, text('secret'), id);
    const [inside, outside] = [await join(device, id), await join(agent)];
    expect(await call('DELETE', `/v1/conversations/${id}`, { bearer: device.token })).toMatchObject({ status: 204, text: '' });
    expect((await inside.closed).code).toBe(4404);
    expect(await outside.wait('system.conversation', id)).toMatchObject({ change: 'deleted' });
    for (const { token } of [agent, device]) {
      for (const [method, path, body] of calls(id)) expectRefused(await call(method, path, { bearer: token, body }), 404, 'not_found');
      expectRefused(await call('GET', file.json.url, { bearer: token }), 404, 'not_found');
      expect(await closeCodeFor(id, token)).toBe(4404);
      expect((await call('GET', '/v1/conversations', { bearer: token })).json.conversations).toHaveLength(1);
    }
    outside.end();
  });

  it('of somebody else are exactly like those that do not exist, and nothing is stored for either', async () => {
    const [agent, other] = [await enrol(), await enrol()];
    const strangers = [other, await pair(other)];
    await post(agent, text('secret'));
    const objects = (await listDurableObjectIds(env.CONVERSATIONS)).length;
    for (const { token } of strangers) {
      for (const id of [agent.conversation, UNKNOWN_CONVERSATION, ...MALFORMED]) {
        const answers = [];
        for (const [method, path, body] of calls(id)) {
          const answer = await call(method, path, { bearer: token, body });
          expectRefused(answer, 404, 'not_found');
          answers.push(answer.text);
        }
        expect(new Set(answers).size, 'one wording').toBe(1);
      }
    }
    expect((await listDurableObjectIds(env.CONVERSATIONS)).length).toBe(objects);
    expect((await history(agent)).json.messages).toHaveLength(1);
  });
});

describe('lists', () => {
  it('show who is online in any conversation, and when each was last seen', async () => {
    const agent = await enrol();
    const [here, away, never] = [await pair(agent), await pair(agent), await pair(agent)];
    const second = await conversation(agent);
    const sockets = [await join(here, second), await join(agent, second)];
    (await join(away)).end();
    await scheduler.wait(50);
    const { devices } = (await call('GET', '/v1/devices', { bearer: agent.token })).json;
    const entry = (id: string) => devices.find((device: { device_id: string }) => device.device_id === id);
    expect(entry(here.id)).toMatchObject({ online: true, last_seen: expect.any(String) });
    expect(entry(away.id)).toMatchObject({ online: false, last_seen: expect.any(String) });
    expect(entry(never.id)).toMatchObject({ online: false, last_seen: null });
    expect((await call('GET', '/v1/devices', { bearer: here.token })).json.devices).toEqual([
      expect.objectContaining({ device_id: here.id, online: true }),
    ]);
    const { agents } = (await call('GET', '/v1/agents', { bearer: OWNER_KEY })).json;
    expect(agents.find(({ agent_id }: { agent_id: string }) => agent_id === agent.id)).toMatchObject({ online: true, last_seen: expect.any(String) });
    for (const socket of sockets) socket.end();
  });

  it('come without what a conversation could not tell', async () => {
    const agent = await enrol();
    const device = await pair(agent);
    vi.spyOn(ConversationObject.prototype, 'summary').mockRejectedValue(new Error('broken'));
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const listed = await call('GET', '/v1/conversations', { bearer: agent.token });
    expect(listed.json.conversations).toMatchObject([{ conversation_id: agent.conversation, head_seq: 0, last_message_at: null }]);
    expect((await call('GET', '/v1/devices', { bearer: agent.token })).json.devices).toMatchObject([
      { device_id: device.id, online: false, last_seen: null },
    ]);
    expect(logged).toHaveBeenCalledTimes(2);
    expect(JSON.stringify(logged.mock.calls)).not.toContain('broken');
  });
});

describe('messages over HTTP', () => {
  it('are bounded and checked like frames', async () => {
    const agent = await enrol();
    const path = `/v1/conversations/${agent.conversation}/messages`;
    const raw = (body: BodyInit, type = 'application/json') =>
      call('POST', path, { bearer: agent.token, raw: body, headers: { 'content-type': type } });
    expectRefused(await raw('{"v":1', 'application/json'), 400, 'invalid_json');
    expectRefused(await raw('', 'application/json'), 400, 'invalid_json');
    expectRefused(await raw(new Uint8Array([0x7b, 0xff, 0x7d])), 400, 'invalid_json');
    expectRefused(await raw(JSON.stringify(text('x')), 'text/plain'), 415, 'unsupported_media_type');
    expectRefused(await raw(`{${' '.repeat(262_143)}`), 400, 'invalid_json');
    expectRefused(await raw(`{${' '.repeat(262_144)}`), 413, 'frame_too_large');
    expectRefused(await post(agent, { ...text('x'), type: 'run.cancel' }), 403, 'wrong_direction');
    expectRefused(await post(agent, { ...text('x'), type: 'system.ping' }), 400, 'unsupported_type');
    const sent = text('once');
    expect((await post(agent, sent)).json).toEqual({ id: sent.id, seq: 1, duplicate: false });
    expect(await post(agent, sent)).toMatchObject({ status: 202, json: { id: sent.id, seq: 1, duplicate: true } });
    expectRefused(await post(agent, { ...sent, payload: { content: 'other' } }), 409, 'id_conflict');
    expect((await post(agent, { ...text('x'), type: 'status', payload: { state: 'idle' } })).json.seq).toBeNull();
  });

  it('come in pages, and a page is asked for in whole numbers', async () => {
    const agent = await enrol();
    for (let i = 1; i <= 5; i++) await post(agent, text(String(i)));
    const contents = async (query: string) =>
      (await history(agent, query)).json.messages.map((m: { payload: { content: string } }) => m.payload.content).join('');
    expect(await contents('')).toBe('12345');
    expect(await contents('?limit=2')).toBe('45');
    expect(await contents('?before=4&limit=2')).toBe('23');
    expect(await contents('?after=0&limit=2')).toBe('12');
    expect((await history(agent, '?after=0&limit=2')).json).toMatchObject({ head_seq: 5, oldest_seq: 1, has_more: true });
    for (const [query, name] of [
      ['?limit=0', 'limit'],
      ['?limit=101', 'limit'],
      ['?limit=', 'limit'],
      ['?limit=1e1', 'limit'],
      ['?after=-1', 'after'],
      ['?after=0x1', 'after'],
      ['?after=1.5', 'after'],
      ['?before=%201', 'before'],
      ['?before=99999999999999999999', 'before'],
    ] as const) {
      const answer = await history(agent, query);
      expectRefused(answer, 400, 'invalid_payload');
      expect(answer.json.error.message).toMatch(new RegExp(`^${name}: `));
    }
  });
});

describe('the audit', () => {
  it('is for the agent and the owner; not for a device, not for strangers', async () => {
    const [agent, other] = [await enrol(), await enrol()];
    const [device, stranger] = [await pair(agent), await pair(other)];
    const call_id = crypto.randomUUID();
    await post(agent, {
      v: 1,
      id: call_id,
      type: 'tool.call',
      payload: { name: 'confirm', action: 'ask', call_id, arguments: { question: 'secret?' } },
    });
    const audit = (bearer: string, query = '', id = agent.conversation) => call('GET', `/v1/conversations/${id}/audit${query}`, { bearer });
    for (const bearer of [agent.token, OWNER_KEY]) {
      const { status, text: body, json } = await audit(bearer);
      expect([status, json.entries]).toMatchObject([
        200,
        [{ call_id, kind: 'tool', name: 'confirm', status: 'pending', settled_at: null, settled_by: null }],
      ]);
      expect(body).not.toContain('secret');
      for (const query of ['?limit=0', '?limit=101', '?limit=x']) expectRefused(await audit(bearer, query), 400, 'invalid_payload');
    }
    expectRefused(await audit(device.token), 403, 'forbidden');
    for (const { token } of [other, stranger]) expectRefused(await audit(token), 404, 'not_found');
    for (const id of [UNKNOWN_CONVERSATION, 'x']) expectRefused(await audit(OWNER_KEY, '', id), 404, 'not_found');
    expectRefused(await audit('wrong'), 401, 'unauthorized');
  });
});

describe('files', () => {
  it('go in and come out whole or in part, for the participants alone', async () => {
    const [agent, other] = [await enrol(), await enrol()];
    const device = await pair(agent);
    const path = `/v1/conversations/${agent.conversation}/files`;
    const up = await call('POST', path, { bearer: device.token, raw: '<script>0123456789', headers: { 'content-type': 'text/html' } });
    expect([up.status, up.json]).toMatchObject([
      201,
      { file_id: expect.stringMatching(/^fl_[a-z0-9]{16,}$/), size: 18, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(up.json.url).toBe(`${path}/${up.json.file_id}`);
    const down = await call('GET', up.json.url, { bearer: agent.token });
    expect([down.status, down.text, down.headers.get('content-type')]).toEqual([200, '<script>0123456789', 'text/html']);
    expect(down.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(down.headers.get('access-control-expose-headers')).toMatch(/content-range/i);
    const part = await call('GET', up.json.url, { bearer: agent.token, headers: { range: 'bytes=8-11' } });
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '0123', 'bytes 8-11/18']);
    for (const bearer of [undefined, 'x']) expectRefused(await call('GET', up.json.url, { bearer }), 401, 'unauthorized');
    expectRefused(await call('GET', up.json.url, { bearer: other.token }), 404, 'not_found');
    const elsewhere = up.json.url.replace(agent.conversation, other.conversation);
    expectRefused(await call('GET', elsewhere, { bearer: other.token }), 404, 'not_found');
    for (const id of [`fl_${'a'.repeat(24)}`, 'x', `${up.json.file_id}x'`])
      expectRefused(await call('GET', `${path}/${id}`, { bearer: agent.token }), 404, 'not_found');
  });

  it('are refused beyond 8 MiB before they reach the conversation, with or without a length', async () => {
    const agent = await enrol();
    const fetched = vi.spyOn(ConversationObject.prototype, 'fetch');
    const path = `/v1/conversations/${agent.conversation}/files`;
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_048_576)) });
    expectRefused(await call('POST', path, { bearer: agent.token, raw: new Uint8Array(8_388_609) }), 413, 'frame_too_large');
    expectRefused(await call('POST', path, { bearer: agent.token, raw: endless }), 413, 'frame_too_large');
    expect(fetched).not.toHaveBeenCalled();
    expect((await call('POST', path, { bearer: agent.token, raw: new Uint8Array(8_388_608) })).status).toBe(201);
  });
});
