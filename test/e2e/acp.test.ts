/** `lineup acp-serve`, `lineup acp-connect` and `lineup connect --astrbot` as processes, with a real relay, a scripted phone, and the other sides as raw sockets. */
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FrameReader, frameOf, type Framing } from '../../client/agent/astrbot/framing.ts';
import { RelayHttp, type Enrolled } from '../../client/core/http.ts';
import { isMessage } from '../../client/core/frames.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';
import { LineUpProcess, Phone, WAIT_MS } from './home-world.ts';

const relay = new RelayProcess();
beforeAll(() => relay.start());
afterAll(() => relay.dispose());

let enrolled: Enrolled;
let phone: Phone;
let lineup: LineUpProcess;
beforeEach(async () => {
  enrolled = await RelayHttp.enrol(relay.origin, OWNER_KEY, { name: 'Home' });
  lineup = new LineUpProcess(relay.origin, enrolled, { ASTRBOT_API_KEY: 'abk_test' });
  phone = await Phone.pair(relay.origin, enrolled);
});
afterEach(async () => {
  await phone.connection.close();
  await lineup.dispose();
});

/** A caller of an ACP server. */
class Caller {
  readonly socket: Socket;
  readonly framing: Framing;
  readonly messages: JsonObject[] = [];
  #id = 0;

  constructor(socket: Socket, framing: Framing = 'header') {
    this.socket = socket;
    this.framing = framing;
    const reader = new FrameReader();
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      for (const found of reader.push(chunk)) {
        expect(found.framing).toBe(framing);
        if (found.kind === 'body') this.messages.push(JSON.parse(Buffer.from(found.bytes).toString()) as JsonObject);
      }
    });
  }

  async ask(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = `r${++this.#id}`;
    this.socket.write(frameOf(JSON.stringify({ jsonrpc: '2.0', id, method, params }), this.framing));
    let answer: JsonObject | undefined;
    await expect.poll(() => (answer = this.messages.find((each) => each.id === id)), { timeout: WAIT_MS, message: method }).toBeDefined();
    return answer!;
  }

  async event(name: string): Promise<JsonObject> {
    const find = () => this.messages.find(({ method, params }) => method === 'agent/event' && (params as JsonObject).event === name);
    await expect.poll(find, { timeout: WAIT_MS, message: name }).toBeDefined();
    return (find()!.params as JsonObject).data as JsonObject;
  }
}

describe('lineup acp-serve', () => {
  async function serve(framing: Framing = 'header', kind: 'tcp' | 'unix' = 'tcp'): Promise<Caller> {
    const path = join(lineup.state, 'acp.sock');
    lineup.start('acp-serve', '--listen', kind === 'tcp' ? 'tcp://127.0.0.1:0' : `unix://${path}`);
    await lineup.until('online');
    const port = Number(/listening on tcp:\/\/127\.0\.0\.1:(\d+)/.exec(lineup.output)?.[1]);
    return new Caller(connect(kind === 'tcp' ? { host: '127.0.0.1', port } : { path }), framing);
  }

  test.each([
    ['tcp', 'header'],
    ['tcp', 'json-line'],
    ['unix', 'header'],
  ] as const)('over %s with %s framing a caller asks on the phone and gets the answer', async (kind, framing) => {
    const caller = await serve(framing, kind);
    if (kind === 'unix') expect(statSync(join(lineup.state, 'acp.sock')).mode & 0o777).toBe(0o600);
    const listed = await caller.ask('agent/list');
    expect(listed).toMatchObject({ result: { data: { agents: [{ agent: 'phone', status: 'online' }, { agent: 'lineup' }, { agent: 'phone-2' }] } } });
    const answer = caller.ask('agent/call', { agent: 'phone', action: 'choice', args: { question: '部署到哪个环境？', options: ['测试', '生产'] } });
    await phone.answer(await phone.untilAsked('choice', '部署'), { message: '测试', selected: ['测试'] });
    expect(await answer).toMatchObject({ result: { status: 'success', data: { message: '测试', selected: ['测试'] } } });
    const named = caller.ask('phone/confirm', { question: 'Sure?' });
    await phone.dismiss(await phone.untilAsked('confirm', 'Sure?'));
    expect(await named).toMatchObject({ result: { status: 'rejected', error: { code: 'rejected' } } });
    await lineup.end('SIGTERM');
    expect(existsSync(join(lineup.state, 'acp.sock'))).toBe(false);
  });

  test('agent/info tells what the device itself says that it has', async () => {
    phone.connection.on('message', (frame) => {
      if (isMessage(frame, 'tool.list') && frame.sender.kind === 'agent') {
        void phone.connection.send('tool.list', {
          tools: [
            { name: 'choice', type: 'action' },
            { name: 'torch', type: 'toolset', actions: [{ name: 'on' }] },
          ],
          reply_to: frame.id,
        });
      }
    });
    const caller = await serve();
    expect(await caller.ask('agent/info', { agent: 'phone' })).toMatchObject({ result: { data: { capabilities: ['choice', 'torch'] } } });
    expect(await caller.ask('agent/call', { agent: 'phone', action: 'calculator.add' })).toMatchObject({ error: { code: -32602 } });
    const answer = caller.ask('agent/call', { capability: 'torch', action: 'torch.on' });
    const call = await phone.until('tool.call', ({ name }) => name === 'torch');
    expect(call.payload.action).toBe('on');
    await phone.answer(call, { message: 'on' });
    expect(await answer).toMatchObject({ result: { status: 'success' } });
  });

  test('messages go both ways, and stop is heard', async () => {
    const caller = await serve();
    await phone.say('is anybody there?');
    await phone.until('error', ({ code }) => code === 'nobody_listens');
    expect(await caller.ask('agent/subscribe', { agent: 'phone' })).toMatchObject({ result: { status: 'success' } });
    await phone.say('你好');
    expect(await caller.event('message')).toMatchObject({ type: 'text', text: '你好', conversation_id: enrolled.conversation_id });
    await phone.connection.send('run.cancel', {});
    expect(await caller.event('cancel')).toEqual({ conversation_id: enrolled.conversation_id });
    await caller.ask('message/send', { agent: 'phone', message: 'Hello from **AstrBot**', conversation_id: enrolled.conversation_id });
    await phone.untilText('Hello from **AstrBot**');
    expect(await caller.ask('message/send', { agent: 'phone', message: 'x', conversation_id: 'cv_nowhere' })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await caller.ask('message/broadcast', { message: 'To all' })).toMatchObject({
      result: { data: { agents: ['phone', 'lineup', 'phone-2'] } },
    });
    await phone.untilText('To all');
  });

  test('a task that is cancelled takes its question back; one that is answered has its result', async () => {
    const caller = await serve();
    const create = async (question: string) => {
      const created = await caller.ask('task/create', { agent: 'phone', action: 'confirm', args: { question } });
      return (created.result as { data: { task_id: string } }).data.task_id;
    };
    const first = await create('First?');
    const call = await phone.untilAsked('confirm', 'First?');
    await caller.ask('task/cancel', { task_id: first });
    await expect.poll(() => phone.settled, { timeout: WAIT_MS }).toMatchObject([{ call_id: call.payload.call_id, status: 'cancelled' }]);
    const second = await create('Second?');
    await phone.answer(await phone.untilAsked('confirm', 'Second?'), { message: 'confirmed', confirmed: true });
    await expect
      .poll(() => caller.ask('task/result', { task_id: second }), { timeout: WAIT_MS })
      .toMatchObject({ result: { data: { status: 'completed', result: { status: 'success', data: { confirmed: true } } } } });
  });

  test('a relay that is away for a while: the question arrives after it', async () => {
    const caller = await serve();
    await relay.end('SIGKILL');
    await lineup.until('offline');
    const answer = caller.ask('agent/call', { agent: 'phone', action: 'confirm', args: { question: 'Still there?' } });
    await relay.start();
    await phone.answer(await phone.untilAsked('confirm', 'Still there?'), { message: 'confirmed', confirmed: true });
    expect(await answer).toMatchObject({ result: { status: 'success' } });
  });

  test('the socket of a server that was killed is replaced', async () => {
    const first = await serve('header', 'unix');
    await lineup.end('SIGKILL');
    first.socket.destroy();
    expect(existsSync(join(lineup.state, 'acp.sock'))).toBe(true);
    lineup.output = '';
    const second = await serve('header', 'unix');
    expect(await second.ask('ping')).toMatchObject({ result: { status: 'success' } });
  });

  test('addresses that others reach, or that are taken, are refused with one line', async () => {
    lineup.start('acp-serve', '--listen', 'tcp://0.0.0.0:0');
    expect(await lineup.exit()).toBe(2);
    expect(lineup.output).toContain('--trust-network');
    const taken = createServer().listen(0, '127.0.0.1');
    await expect.poll(() => taken.listening).toBe(true);
    lineup.start('acp-serve', '--listen', `tcp://127.0.0.1:${(taken.address() as AddressInfo).port}`);
    expect(await lineup.exit()).toBe(1);
    expect(lineup.output).toContain('the port is taken');
    taken.close();
  });
});

type Methods = Record<string, (params: JsonObject, notify: (method: string, params: JsonObject) => void, id: number) => unknown>;

/** A server of ACP as the tests script it: who has which method. */
class ScriptedServer {
  readonly #framing: Framing;
  readonly #methods: Methods;
  readonly #server: Server;
  readonly sockets = new Set<Socket>();
  readonly heard: [string, JsonObject][] = [];
  port = 0;

  constructor(framing: Framing, methods: Methods) {
    this.#framing = framing;
    this.#methods = methods;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Cuts everybody off and listens no more. */
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  notifyAll(method: string, params: JsonObject): void {
    for (const socket of this.sockets) socket.write(frameOf(JSON.stringify({ jsonrpc: '2.0', method, params }), this.#framing));
  }

  #accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    const reader = new FrameReader();
    socket.on('data', (chunk: Buffer) => {
      for (const found of reader.push(chunk)) {
        // One that knows a single framing cuts the other off.
        if (found.kind === 'broken' || found.framing !== this.#framing) return void socket.destroy();
        void this.#take(socket, JSON.parse(Buffer.from(found.bytes).toString()) as JsonObject);
      }
    });
  }

  async #take(socket: Socket, { id, method, params }: JsonObject): Promise<void> {
    const name = String(method);
    this.heard.push([name, (params ?? {}) as JsonObject]);
    if (id === undefined) return;
    const send = (message: JsonObject) => void socket.write(frameOf(JSON.stringify({ jsonrpc: '2.0', ...message }), this.#framing));
    const act = this.#methods[name];
    if (!act) return send({ id, error: { code: -32601, message: '未知方法' } });
    try {
      send({
        id,
        result: (await act((params ?? {}) as JsonObject, (notified, told) => send({ method: notified, params: told }), Number(id))) as JsonObject,
      });
    } catch (error) {
      send({ id, error: error as JsonObject });
    }
  }
}

describe('lineup acp-connect', () => {
  const servers: ScriptedServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  async function script(framing: Framing, methods: Methods): Promise<ScriptedServer> {
    const server = new ScriptedServer(framing, methods);
    servers.push(server);
    await server.start();
    return server;
  }

  test('one agent of a server of the specification: streamed, called by message/send, heard by itself', async () => {
    const server = await script('header', {
      'agent/list': () => ({ status: 'success', data: [{ agent: 'code-reviewer', version: '1.0.0', capabilities: ['review'] }] }),
      'agent/subscribe': () => ({ status: 'success' }),
      'message/send': async ({ message }, notify, request_id) => {
        for (const part of ['You said ', String(message)]) {
          notify('agent/chunk', { request_id, index: 0, data: { text: part } });
          await new Promise((resolve) => setTimeout(resolve, 120));
        }
        return { status: 'success', data: { reply: `You said ${String(message)}` } };
      },
    });
    lineup.start('acp-connect', `tcp://127.0.0.1:${server.port}`);
    await lineup.until('has code-reviewer');
    await phone.say('你好');
    await phone.untilText('You said 你好');
    expect(phone.texts).toEqual(['You said 你好']);
    expect(phone.of('text.delta').length).toBeGreaterThan(0);
    server.notifyAll('agent/event', { agent: 'code-reviewer', event: 'message', data: { text: 'By the way' } });
    await phone.untilText('By the way');
  });

  test('servers in both framings: each agent has a conversation; names and capabilities route in the first one', async () => {
    const reply =
      (who: string) =>
      ({ args, message }: JsonObject) => ({ status: 'success', data: `${who}: ${String(message ?? (args as JsonObject).message)}` });
    const one = await script('header', { 'agent/list': () => ['lint-bot'], 'message/send': reply('lint-bot') });
    const two = await script('json-line', {
      initialize: () => ({ protocolVersion: '1.0', capabilities: {} }),
      'agent/list': () => ({ agents: [{ name: 'translator', capabilities: ['translate'] }] }),
      'agent/call': reply('translator'),
    });
    lineup.start('acp-connect', `tcp://127.0.0.1:${one.port}`, `tcp://127.0.0.1:${two.port}`);
    await lineup.until('has lint-bot');
    await lineup.until('has translator');
    await expect
      .poll(async () => (await phone.http.conversations()).map(({ title }) => title).toSorted(), { timeout: WAIT_MS })
      .toEqual(['lint-bot', 'translator', null].toSorted());
    await phone.say('hello');
    await phone.untilText('Whom do you mean?');
    await phone.say('@ghost hello');
    await phone.untilText('There is no agent **ghost**');
    await phone.say('@lint-bot check this');
    await phone.untilText('lint-bot: check this');
    await phone.say('#translate 早上好');
    await phone.untilText('translator: 早上好');
    const own = (await phone.http.conversations()).find(({ title }) => title === 'translator')!;
    const other = await Phone.pair(relay.origin, enrolled, own.conversation_id);
    await other.say('@lint-bot is only text here');
    await other.untilText('translator: @lint-bot is only text here');
    await other.connection.close();
    await lineup.end('SIGTERM');
    lineup.start('acp-connect', `tcp://127.0.0.1:${one.port}`, `tcp://127.0.0.1:${two.port}`);
    await expect.poll(() => lineup.output.match(/has translator/g), { timeout: WAIT_MS }).toHaveLength(2);
    expect(await phone.http.conversations()).toHaveLength(3);
  });

  test('a server that dies in mid-answer, is away, and comes back', async () => {
    const server = await script('header', {
      'agent/list': () => ['worker'],
      'message/send': ({ message }, notify, request_id) => {
        if (message !== 'hang') return { data: 'done' };
        notify('agent/chunk', { request_id, data: 'half an ans' });
        return new Promise(() => undefined);
      },
    });
    lineup.start('acp-connect', `tcp://127.0.0.1:${server.port}`);
    await lineup.until('has worker');
    await phone.say('hang');
    await phone.until('text.delta');
    await server.stop();
    await phone.until('error', ({ code }) => code === 'agent_gone');
    expect(phone.texts).toEqual(['half an ans']);
    await server.start();
    await expect.poll(() => lineup.output.match(/has worker/g), { timeout: WAIT_MS }).toHaveLength(2);
    await phone.say('again');
    await phone.untilText('done');
  });

  test('a message that was at the agent when lineup was killed is not given again, and the user is told', async () => {
    const server = await script('header', { 'agent/list': () => ['worker'], 'message/send': () => new Promise(() => undefined) });
    const sent = () => server.heard.filter(([method]) => method === 'message/send');
    lineup.start('acp-connect', `tcp://127.0.0.1:${server.port}`);
    await lineup.until('has worker');
    await phone.say('deploy');
    await expect.poll(sent, { timeout: WAIT_MS }).toHaveLength(1);
    await lineup.end('SIGKILL');
    lineup.start('acp-connect', `tcp://127.0.0.1:${server.port}`);
    await phone.until('error', ({ code }) => code === 'agent_interrupted');
    expect(sent()).toHaveLength(1);
  });

  test('errors of the server are told, and stop ends the waiting', async () => {
    const server = await script('header', {
      'agent/list': () => ['worker'],
      'message/send': ({ message }) => {
        if (message === 'busy') throw { code: -32001, message: 'busy' };
        if (message === 'bad') throw { code: -32603, message: '服务器错误' };
        return new Promise(() => undefined);
      },
    });
    lineup.start('acp-connect', `tcp://127.0.0.1:${server.port}`);
    await lineup.until('has worker');
    await phone.say('busy');
    await phone.until('error', ({ code, retryable }) => code === 'agent_busy' && retryable === true);
    await phone.say('bad');
    await phone.until('error', ({ message }) => message.includes('服务器错误'));
    await phone.say('wait');
    await expect.poll(() => server.heard.filter(([method]) => method === 'message/send'), { timeout: WAIT_MS }).toHaveLength(3);
    await phone.connection.send('run.cancel', {});
    await expect.poll(() => server.heard.map(([method]) => method), { timeout: WAIT_MS }).toContain('$/cancelRequest');
    await phone.until('status', ({ state }) => state === 'idle');
  });
});

describe('lineup connect --astrbot', () => {
  let http: HttpServer;
  let url: string;
  const requests: JsonObject[] = [];
  /** What was uploaded, by name. */
  const uploads = new Map<string, string>();
  beforeEach(async () => {
    requests.length = 0;
    uploads.clear();
    http = createHttpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const body = Buffer.concat(chunks);
        if (request.headers.authorization !== 'Bearer abk_test') return void response.writeHead(401).end();
        if (request.url === '/api/v1/file') {
          const type = request.headers['content-type'] ?? '';
          const file = (await new Response(body, { headers: { 'content-type': type } }).formData()).get('file') as File;
          uploads.set(file.name, await file.text());
          const data = { attachment_id: `att_${uploads.size}`, filename: file.name, type: file.type.startsWith('image') ? 'image' : 'file' };
          return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'ok', message: null, data }));
        }
        if (request.url === '/api/v1/file?attachment_id=drawn') return void response.writeHead(200, { 'content-type': 'image/png' }).end('a picture');
        if (request.url === '/api/v1/file?attachment_id=table') return void response.writeHead(200, { 'content-type': 'text/csv' }).end('a,b');
        const asked = JSON.parse(body.toString()) as JsonObject;
        requests.push(asked);
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
        const send = (event: JsonObject) => response.write(`data: ${JSON.stringify(event)}\n\n`);
        send({ type: 'session_id', data: null, session_id: asked.session_id ?? 'astr_1' });
        send({ type: 'run_started', data: {} });
        if (asked.message === 'break') return void setTimeout(() => response.destroy(), 50);
        if (asked.message === 'fail') send({ type: 'error', data: 'no provider' });
        else if (asked.message === 'draw') {
          send({ type: 'image', data: '[IMAGE]1f2e.png', streaming: false });
          send({ type: 'attachment_saved', data: { id: 'drawn', type: 'image' } });
          send({ type: 'file', data: '[FILE]3d4c.csv|weather.csv', streaming: false });
          send({ type: 'attachment_saved', data: { id: 'table', type: 'file' } });
          send({ type: 'image', data: '[IMAGE]lost.png', streaming: false });
        } else {
          for (const data of ['你', '好', '！']) send({ type: 'plain', data, streaming: true });
          send({ type: 'complete', data: '你好！', streaming: true });
        }
        send({ type: 'end', data: '', streaming: false });
        response.end();
      });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  afterEach(() => void http.close());

  test('an answer is streamed once, in a session of the conversation', async () => {
    lineup.start('connect', '--astrbot', url);
    await phone.say('hi');
    await phone.untilText('你好！');
    await phone.say('again');
    await expect.poll(() => phone.texts, { timeout: WAIT_MS }).toEqual(['你好！', '你好！']);
    expect(requests).toEqual([
      { username: 'lineup', message: 'hi', enable_streaming: true },
      { username: 'lineup', message: 'again', enable_streaming: true, session_id: 'astr_1' },
    ]);
  });

  test('images and files of the phone are attached, two of one name apart', async () => {
    lineup.start('connect', '--astrbot', url);
    const picture = await phone.http.upload(enrolled.conversation_id, Buffer.from('a photo'), 'image/png');
    await phone.connection.send('image', { file_id: picture.file_id, url: picture.url, caption: 'What is this?' });
    await expect.poll(() => phone.texts, { timeout: WAIT_MS }).toHaveLength(1);
    for (const content of ['one', 'two']) {
      const { file_id } = await phone.http.upload(enrolled.conversation_id, Buffer.from(content), 'text/plain');
      await phone.connection.send('file', { file_id, name: 'notes.txt', mime_type: 'text/plain', size: content.length });
    }
    await expect.poll(() => phone.texts, { timeout: WAIT_MS }).toHaveLength(3);
    expect(requests.map(({ message }) => message)).toEqual([
      [
        { type: 'plain', text: 'What is this?' },
        { type: 'image', attachment_id: 'att_1' },
      ],
      [{ type: 'file', attachment_id: 'att_2' }],
      [{ type: 'file', attachment_id: 'att_3' }],
    ]);
    expect([...uploads.values()]).toEqual(['a photo', 'one', 'two']);
  });

  test('images and files of an answer are fetched; what cannot be fetched is named', async () => {
    lineup.start('connect', '--astrbot', url);
    await phone.say('draw');
    const image = await phone.until('image');
    expect(await (await phone.http.download(enrolled.conversation_id, image.payload.file_id ?? '')).text()).toBe('a picture');
    const { payload } = await phone.until('file');
    expect([payload.name, payload.mime_type, payload.size]).toEqual(['weather.csv', 'text/csv', 3]);
    await phone.untilText('lost.png');
    expect(phone.texts).toHaveLength(1);
  });

  test('what goes wrong is told on the phone', async () => {
    lineup.start('connect', '--astrbot', url);
    await phone.say('fail');
    await phone.until('error', ({ message }) => message === 'no provider');
    await phone.say('break');
    await phone.until('error', ({ message }) => message.includes('broke in the middle'));
    http.close();
    http.closeAllConnections();
    await phone.say('gone');
    await phone.until('error', ({ message }) => message.includes('cannot be reached'));
  });

  test('a missing key is a matter of usage, a wrong one is told on the phone', async () => {
    const keyless = new LineUpProcess(relay.origin, enrolled, { ASTRBOT_API_KEY: '' });
    keyless.start('connect', '--astrbot', url);
    expect(await keyless.exit()).toBe(2);
    await keyless.dispose();
    const wrong = new LineUpProcess(relay.origin, enrolled, { ASTRBOT_API_KEY: 'abk_wrong' });
    wrong.start('connect', '--astrbot', url);
    await phone.say('hi');
    await phone.until('error', ({ message }) => message.includes('ASTRBOT_API_KEY'));
    await wrong.dispose();
  });
});
