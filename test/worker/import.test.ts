/** `POST /v1/conversations/:id/import`: a history of another relay, brought in by the owner. */
import { describe, expect, it } from 'vitest';
import { call, connect, enrol, expectRefused, join, OWNER_KEY, pair, UNKNOWN_CONVERSATION, type Bearer } from './getting-in-client.ts';

const PHONE_OF_THERE = { kind: 'app', id: 'dv_zzzzzzzzzzzzzzzz' };
const AGENT_OF_THERE = { kind: 'agent', id: 'ag_zzzzzzzzzzzzzzzz' };
const LONG_AGO = '2026-11-01T08:00:00.000Z';

const text = (id: string, sender: object, content: string) => ({ v: 1, id, type: 'text', sender, seq: 7, ts: LONG_AGO, payload: { content } });
const bring = (conversation: string, messages: unknown, bearer: string | undefined = OWNER_KEY) =>
  call('POST', `/v1/conversations/${conversation}/import`, { bearer, body: { messages } });
const history = async ({ conversation, token }: Bearer, query = '') =>
  (await call('GET', `/v1/conversations/${conversation}/messages${query}`, { bearer: token })).json;

describe('an import', () => {
  it('puts what was said elsewhere where devices and the list show it, and a second time changes nothing', async () => {
    const agent = await enrol();
    const device = await pair(agent);
    const messages = [text('a', PHONE_OF_THERE, 'Good morning'), text('b', AGENT_OF_THERE, 'Good morning to you')];
    const first = await bring(agent.conversation, messages);
    expect([first.status, first.json]).toEqual([200, { imported: 2, known: 0, left_out: 0, head_seq: 2, oldest_seq: 1 }]);
    expect((await bring(agent.conversation, messages)).json).toMatchObject({ imported: 0, known: 2, head_seq: 2 });
    expect((await history(device)).messages).toMatchObject([
      { id: 'a', seq: 1, ts: LONG_AGO, sender: PHONE_OF_THERE, conversation_id: agent.conversation },
      { id: 'b', seq: 2, ts: LONG_AGO, sender: { kind: 'agent', id: agent.id } },
    ]);
    const { json } = await call('GET', '/v1/conversations', { bearer: device.token });
    expect(json.conversations).toMatchObject([{ head_seq: 2, last_message_at: LONG_AGO }]);
  });

  it('takes pictures whose bytes are here, and no others', async () => {
    const agent = await enrol();
    const { json } = await call('POST', `/v1/conversations/${agent.conversation}/files`, {
      bearer: agent.token,
      raw: '<svg/>',
      headers: { 'content-type': 'text/plain' },
    });
    const picture = (file_id: string) => ({ ...text('p', AGENT_OF_THERE, ''), type: 'image', payload: { url: json.url, file_id } });
    const strange = await bring(agent.conversation, [picture(`fl_${'a'.repeat(24)}`)]);
    expectRefused(strange, 400, 'invalid_payload');
    expect(strange.json.error.message).toMatch(/^body\.messages\[0\]\.payload\.file_id: /);
    expect((await bring(agent.conversation, [picture(json.file_id)])).json).toMatchObject({ imported: 1 });
    expect((await call('GET', json.url, { bearer: agent.token })).status).toBe(200);
  });

  it('is for the owner alone, and tells nobody else whether there is such a conversation', async () => {
    const agent = await enrol();
    const device = await pair(agent);
    for (const bearer of ['', 'wrong', agent.token, device.token]) {
      for (const conversation of [agent.conversation, UNKNOWN_CONVERSATION]) {
        expectRefused(await bring(conversation, [text('a', AGENT_OF_THERE, 'x')], bearer), 401, 'unauthorized');
      }
    }
    const nobody = await call('POST', `/v1/conversations/${agent.conversation}/import`, { body: { messages: [] } });
    expectRefused(nobody, 401, 'unauthorized');
    expect((await history(agent)).messages).toEqual([]);
  });

  it('goes into no conversation that is not there', async () => {
    const agent = await enrol();
    for (const conversation of [UNKNOWN_CONVERSATION, 'cv_x', agent.id]) {
      expectRefused(await bring(conversation, [text('a', AGENT_OF_THERE, 'x')]), 404, 'not_found');
    }
    await call('DELETE', `/v1/conversations/${agent.conversation}`, { bearer: agent.token });
    expectRefused(await bring(agent.conversation, [text('a', AGENT_OF_THERE, 'x')]), 404, 'not_found');
  });

  it('is refused once somebody has spoken, unless the owner knows of it', async () => {
    const agent = await enrol();
    await bring(agent.conversation, [text('a', PHONE_OF_THERE, 'x')]);
    const envelope = { v: 1, id: 'n', type: 'text', payload: { content: 'new' } };
    await call('POST', `/v1/conversations/${agent.conversation}/messages`, { bearer: agent.token, body: envelope });
    expectRefused(await bring(agent.conversation, [text('b', PHONE_OF_THERE, 'y')]), 403, 'forbidden');
    expect((await history(agent)).messages).toHaveLength(2);
    const behind = (after: number) =>
      call('POST', `/v1/conversations/${agent.conversation}/import`, {
        bearer: OWNER_KEY,
        body: { after, messages: [text('b', PHONE_OF_THERE, 'y')] },
      });
    expectRefused(await behind(1), 403, 'forbidden');
    expectRefused(await behind(-1), 400, 'invalid_payload');
    expect((await behind(2)).json).toMatchObject({ imported: 1, head_seq: 3 });
  });

  it('is not sent to an agent, which would answer it, whether it is there or comes later', async () => {
    const agent = await enrol();
    const device = await pair(agent);
    const [there, phone] = [await join(agent), await join(device)];
    await bring(agent.conversation, [text('old', PHONE_OF_THERE, 'long ago')]);
    phone.send({ id: 'new', type: 'text', payload: { content: 'just now' } });
    await there.wait('text', 'just now');
    const late = await connect(agent.conversation, agent.token);
    const { epoch } = await phone.wait('system.welcome');
    late.send({ type: 'system.hello', payload: { name: 'Test', session: 's', resume: { epoch, seq: 0 } } });
    await late.wait('system.synced');
    for (const socket of [there, late])
      expect(socket.frames.filter(({ type }) => type === 'text').map(({ payload }) => payload.content)).toEqual(['just now']);
    expect(phone.frames.filter(({ type }) => type === 'text').map(({ payload }) => payload.content)).toEqual(['long ago']);
  });

  it('takes at most 100 messages and 1 MiB at a time', async () => {
    const { conversation } = await enrol();
    const many = Array.from({ length: 101 }, (_, i) => text(`m${i}`, PHONE_OF_THERE, 'x'));
    expectRefused(await bring(conversation, many), 400, 'invalid_payload');
    const large = Array.from({ length: 20 }, (_, i) => text(`m${i}`, PHONE_OF_THERE, 'x'.repeat(60_000)));
    expectRefused(await bring(conversation, large), 413, 'frame_too_large');
    expect((await bring(conversation, many.slice(1))).json).toMatchObject({ imported: 100 });
  });

  it.each<[string, object, number, string, RegExp]>([
    ['no JSON', { raw: '{', headers: { 'content-type': 'application/json' } }, 400, 'invalid_json', /^body: /],
    ['another type', { raw: '{}', headers: { 'content-type': 'text/csv' } }, 415, 'unsupported_media_type', /^content-type: /],
    ['no messages', { body: {} }, 400, 'invalid_payload', /^body\.messages: /],
    ['a message that is none', { body: { messages: [text('a', PHONE_OF_THERE, 'x'), 7] } }, 400, 'invalid_payload', /^body\.messages\[1\]: /],
    [
      'a text without words',
      { body: { messages: [text('a', PHONE_OF_THERE, '')] } },
      400,
      'invalid_payload',
      /^body\.messages\[0\]\.payload\.content: /,
    ],
    [
      'a surface',
      { body: { messages: [{ ...text('a', AGENT_OF_THERE, 'x'), type: 'ui.close', payload: { instance_id: 'i' } }] } },
      400,
      'unsupported_type',
      /^body\.messages\[0\]\.type: /,
    ],
  ])('says what is wrong with %s, and where', async (_, options, status, code, where) => {
    const agent = await enrol();
    const answer = await call('POST', `/v1/conversations/${agent.conversation}/import`, { bearer: OWNER_KEY, ...options });
    expectRefused(answer, status, code);
    expect(answer.json.error.message).toMatch(where);
    expect((await history(agent)).messages).toEqual([]);
  });
});
