/** Direct mode for bare v1 clients, written from the LineUp v1 document's examples alone: they talk through `lineup direct`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RelayHttp } from '../../client/core/http.ts';
import { DirectProcess, V1Client, type V1Message } from './direct-process.ts';

/** The types of the document. */
const V1_TYPES = ['system.hello', 'system.ping', 'system.pong', 'text', 'image', 'tool.list', 'tool.call', 'tool.result'];

let home: string;
let direct: DirectProcess;
let clients: V1Client[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'lineup-direct-'));
  direct = await DirectProcess.start(home);
});
afterEach(async () => {
  for (const client of clients) {
    for (const message of client.messages) onlyV1(message);
    await client.close();
  }
  clients = [];
});
afterAll(async () => {
  await direct.end();
  await rm(home, { recursive: true });
});

/** Nothing but the document's seven types with the four fields of its envelope. */
function onlyV1(message: V1Message): void {
  expect(V1_TYPES).toContain(message.type);
  expect(Object.keys(message).toSorted()).toEqual(['id', 'payload', 'type', 'v']);
  expect(message.v).toBe(1);
}

async function app(name?: string, url = direct.listening.v1): Promise<V1Client> {
  const client = await V1Client.app(url, direct.listening.token, name);
  clients.push(client);
  return client;
}

async function agent(url = direct.listening.v1): Promise<V1Client> {
  const client = await V1Client.agent(url, direct.listening.token);
  clients.push(client);
  return client;
}

describe('a bare v1 app and a bare v1 agent', () => {
  it('greet each other as the document has it', async () => {
    const phone = await app();
    const hermes = await agent();
    expect(phone.messages[0]!.payload).toEqual({
      name: expect.any(String),
      token: direct.listening.token,
      agent: 'LineUp',
      version: expect.any(String),
    });
    expect(hermes.messages[0]!.payload).toEqual({ name: '我的手机', platform: 'lineup', version: expect.any(String) });
  });

  it('send each other texts, each once', async () => {
    const [phone, hermes] = [await app(), await agent()];
    phone.send('msg_001', 'text', { content: '帮我查一下下周的天气' });
    expect(await hermes.next('text', ({ id }) => id === 'msg_001')).toEqual({
      v: 1,
      id: 'msg_001',
      type: 'text',
      payload: { content: '帮我查一下下周的天气' },
    });
    hermes.send('msg_a001', 'text', { content: '下周晴' });
    await phone.next('text', ({ id }) => id === 'msg_a001');
    expect(phone.texts()).toEqual(['下周晴']);
  });

  it('ask for tools, call one and answer', async () => {
    const [phone, hermes] = [await app(), await agent()];
    hermes.send('msg_003', 'tool.list', {});
    await phone.next('tool.list');
    const choice = { name: 'choice', type: 'action', description: '向用户提供一组选项让其选择', inputSchema: { type: 'object' } };
    phone.send('msg_004', 'tool.list', { tools: [choice] });
    expect((await hermes.next('tool.list', ({ id }) => id === 'msg_004')).payload).toEqual({ tools: [choice] });

    const call = {
      call_id: 'c1',
      name: 'choice',
      action: 'select',
      arguments: { question: '部署到哪个环境？', options: ['测试', '预发布', '生产'] },
    };
    hermes.send('msg_005', 'tool.call', call);
    expect((await phone.next('tool.call')).payload).toEqual(call);
    const result = { call_id: 'c1', name: 'choice', action: 'select', result: { message: '预发布' } };
    phone.send('msg_006', 'tool.result', result);
    expect((await hermes.next('tool.result')).payload).toEqual(result);
  });

  it('keep alive with the document’s ping', async () => {
    const phone = await app();
    phone.send('ping_1', 'system.ping', {});
    expect((await phone.next('system.pong')).payload).toEqual({ ping_id: 'ping_1' });
  });

  it('an app may ask for the agent’s tools; there are none', async () => {
    const phone = await app();
    phone.send('ask_1', 'tool.list', {});
    expect((await phone.next('tool.list')).payload).toEqual({ tools: [] });
  });

  it('an error is a result with a message for an agent that knows no errors', async () => {
    const [phone, hermes] = [await app(), await agent()];
    hermes.send('msg_e1', 'tool.call', { call_id: 'c_e1', name: 'nothing', action: 'at_all', arguments: {} });
    await phone.next('tool.call', ({ id }) => id === 'msg_e1');
    phone.send('msg_e2', 'tool.result', {
      call_id: 'c_e1',
      name: 'nothing',
      action: 'at_all',
      error: { code: 'unknown_tool', message: 'no such tool' },
    });
    expect((await hermes.next('tool.result', ({ id }) => id === 'msg_e2')).payload.result).toEqual({ message: 'no such tool' });
  });

  it('a picture opens by its address alone, and nothing else does', async () => {
    const phone = await app();
    const { token, conversationId } = await direct.agent();
    const http = new RelayHttp({ origin: direct.listening.origin, token: () => token });
    const bytes = new Uint8Array([137, 80, 78, 71]);
    const { file_id, url: path } = await http.upload(conversationId, bytes, 'image/png');
    await http.postMessage(conversationId, { id: 'img_1', type: 'image', payload: { url: path, file_id, caption: '架构图' } });
    const { url, caption } = (await phone.next('image')).payload as { url: string; caption: string };
    expect(caption).toBe('架构图');
    const picture = await fetch(url);
    expect([picture.status, picture.headers.get('content-type'), new Uint8Array(await picture.arrayBuffer())]).toEqual([200, 'image/png', bytes]);
    expect((await fetch(new URL(path, direct.listening.origin))).status).toBe(401);
    const forged = `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`;
    expect((await fetch(forged)).headers.get('content-type')).not.toBe('image/png');
  });
});

describe('what was said while a v1 app was away', () => {
  it('comes when it is back, and only what is new', async () => {
    const hermes = await agent();
    const phone = await app('Traveller');
    hermes.send('away_1', 'text', { content: 'before' });
    await phone.next('text', ({ id }) => id === 'away_1');
    // Its place in the log is noted a moment later.
    await sleep(1_500);
    await phone.close();
    hermes.send('away_2', 'text', { content: 'meanwhile' });
    const back = await app('Traveller');
    await back.next('text', ({ id }) => id === 'away_2');
    expect(back.texts()).toEqual(['meanwhile']);
  });

  it('a call that was answered elsewhere does not come again', async () => {
    const [hermes, phone] = [await agent(), await app('Second')];
    hermes.send('s_1', 'tool.call', { call_id: 'c_s1', name: 'confirm', action: 'ask', arguments: { question: 'ok?' } });
    await phone.next('tool.call', ({ id }) => id === 's_1');
    phone.send('s_2', 'tool.result', { call_id: 'c_s1', name: 'confirm', action: 'ask', result: { message: 'confirmed' } });
    await hermes.next('tool.result', ({ id }) => id === 's_2');
    await phone.close();
    const again = await app('Second');
    hermes.send('s_3', 'text', { content: 'last' });
    await again.next('text', ({ id }) => id === 's_3');
    expect(again.messages.filter(({ type }) => type === 'tool.call')).toEqual([]);
  });
});

describe('two agents on one machine', () => {
  it('have their own conversations, of which an address may name the second', async () => {
    const { ownerKey } = await direct.agent();
    const second = await RelayHttp.enrol(direct.listening.origin, ownerKey, { name: 'Second agent' });
    const url = `${direct.listening.v1}?conversation=${second.conversation_id}`;
    const [first, other] = [await agent(), await agent(url)];
    const [phone, otherPhone] = [await app('P'), await app('P', url)];
    expect(otherPhone.messages[0]!.payload.name).toBe('Second agent');
    other.send('two_2', 'text', { content: 'from the second' });
    first.send('two_1', 'text', { content: 'from the first' });
    await phone.next('text', ({ id }) => id === 'two_1');
    await otherPhone.next('text', ({ id }) => id === 'two_2');
    expect([phone.texts().includes('from the second'), otherPhone.texts().includes('from the first')]).toEqual([false, false]);
  });

  it('a conversation that is not there is 4404', async () => {
    const client = new V1Client(`${direct.listening.v1}?conversation=cv_aaaaaaaaaaaaaaaaaaaaaaaa`);
    await client.opened();
    client.send('h', 'system.hello', { name: 'x', platform: 'web', token: direct.listening.token });
    expect(await client.closed).toBe(4404);
  });
});

describe('the door is shut', () => {
  it.each([
    ['without a token', { name: 'x', platform: 'web' }, 4401],
    ['with a wrong token', { name: 'x', platform: 'web', token: 'not it' }, 4401],
    ['to an agent with a wrong token', { name: 'x', agent: 'Hermes', token: '' }, 4401],
    ['without a name', { platform: 'web', token: 'x' }, 4400],
  ])('%s', async (_what, payload, code) => {
    const client = new V1Client(direct.listening.v1);
    await client.opened();
    client.send('h', 'system.hello', payload);
    expect(await client.closed).toBe(code);
    expect(client.messages).toEqual([]);
  });

  it('to whoever does not begin with hello', async () => {
    for (const frame of ['{', '[]', 'hello', '{"v":1,"id":"a","type":"text","payload":{"content":"x"}}', Buffer.from([1, 2, 3])]) {
      const client = new V1Client(direct.listening.v1);
      await client.opened();
      client.socket.send(frame);
      expect(await client.closed).toBe(4400);
    }
  });
});
