/** Golden conversations, byte for byte, in both framings; and what callers do that they should not. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { Deferred } from '../deferred.ts';
import { ServerMethods } from './server-methods.ts';
import { RpcServer } from './server.ts';
import type { ServerAddress } from './address.ts';
import { frameOf, type Framing } from './framing.ts';
import type { ActionOutcome, ServedAgent } from './served-agents.ts';

/** An agent that reviews; `hold` waits until the test lets it go. */
class Reviewer implements ServedAgent {
  name = 'code-reviewer';
  description = 'Reviews code';
  capabilities = ['review', 'hold'];
  status = 'online' as const;
  actions = [{ name: 'review' }];
  held: Deferred<ActionOutcome>[] = [];
  heard: string[] = [];

  call(action: string, { args, signal, onChunk }: Parameters<ServedAgent['call']>[1]): Promise<ActionOutcome> {
    if (action === 'explode') throw new Error('secret of the machine');
    if (action !== 'hold') {
      onChunk({ text: 'LG' });
      onChunk({ text: 'TM' });
      return Promise.resolve({ status: 'success', data: { verdict: 'LGTM', file: args.file ?? null } });
    }
    const held = new Deferred<ActionOutcome>();
    this.held.push(held);
    signal.addEventListener('abort', () => held.resolve({ status: 'cancelled', error: { code: 'cancelled', message: 'taken back' } }));
    return held.promise;
  }

  receive(text: string): Promise<JsonObject> {
    this.heard.push(text);
    return Promise.resolve({ message_id: 'm1' });
  }
}

/** A slow machine may take its time. */
const WAIT = { timeout: 10_000 };

let reviewer: Reviewer;
let methods: ServerMethods;
let server: RpcServer;
let address: ServerAddress;
const folder = mkdtempSync(join(tmpdir(), 'lineup-acp-'));
beforeEach(async () => {
  reviewer = new Reviewer();
  methods = new ServerMethods({ version: '1.0.0', agents: () => Promise.resolve([reviewer]), endpoints: () => ({ tcp: '127.0.0.1:9001' }) });
  server = new RpcServer(methods.answer);
  address = await server.listen({ kind: 'tcp', host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  methods.close();
  await server.close();
});

/** A caller that counts bytes itself. */
class Caller {
  readonly socket: Socket;
  received = Buffer.alloc(0);
  isClosed = false;

  constructor(to: ServerAddress = address) {
    this.socket = connect(to.kind === 'tcp' ? { host: to.host, port: to.port } : { path: to.path });
    this.socket.on('data', (chunk) => (this.received = Buffer.concat([this.received, chunk])));
    this.socket.on('close', () => (this.isClosed = true));
    this.socket.on('error', () => undefined);
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  async expect(text: string): Promise<void> {
    await expect.poll(() => this.received.toString(), WAIT).toBe(text);
    this.received = Buffer.alloc(0);
  }
}

/** [what is sent, what is answered]; null: nothing. */
const GOLDEN: readonly [string, string | null][] = [
  [
    '{"jsonrpc":"2.0","id":"1","method":"initialize","params":{"protocolVersion":"1.0","capabilities":{}}}',
    '{"jsonrpc":"2.0","id":"1","result":{"protocolVersion":"1.0","capabilities":{"streaming":true,"subscriptions":true,"tasks":true,"events":["message","cancel","presence","task"]},"serverInfo":{"name":"lineup","version":"1.0.0"}}}',
  ],
  [
    '{"jsonrpc":"2.0","id":1,"method":"agent/list"}',
    '{"jsonrpc":"2.0","id":1,"result":{"status":"success","data":{"agents":[{"agent":"code-reviewer","version":"1.0.0","capabilities":["review","hold"],"status":"online","endpoints":{"tcp":"127.0.0.1:9001"}}]}}}',
  ],
  [
    '{"jsonrpc":"2.0","id":2,"method":"agent/info","params":{"agent":"code-reviewer"}}',
    '{"jsonrpc":"2.0","id":2,"result":{"status":"success","data":{"agent":"code-reviewer","version":"1.0.0","capabilities":["review","hold"],"status":"online","endpoints":{"tcp":"127.0.0.1:9001"},"description":"Reviews code","actions":[{"name":"review"}]}}}',
  ],
  [
    '{"jsonrpc":"2.0","id":"唯一标识","method":"agent/call","params":{"agent":"code-reviewer","action":"review","args":{"file":"主.ts"}}}',
    '{"jsonrpc":"2.0","id":"唯一标识","result":{"status":"success","data":{"verdict":"LGTM","file":"主.ts"}}}',
  ],
  [
    '{"jsonrpc":"2.0","id":3,"method":"agent/call","params":{"capability":"review","action":"review"}}',
    '{"jsonrpc":"2.0","id":3,"result":{"status":"success","data":{"verdict":"LGTM","file":null}}}',
  ],
  [
    '{"jsonrpc":"2.0","id":4,"method":"code-reviewer/review","params":{"file":"a.ts"}}',
    '{"jsonrpc":"2.0","id":4,"result":{"status":"success","data":{"verdict":"LGTM","file":"a.ts"}}}',
  ],
  [
    '{"jsonrpc":"2.0","id":5,"method":"agent/call","params":{"agent":"code-reviewer","action":"review","stream":true}}',
    '{"jsonrpc":"2.0","method":"agent/chunk","params":{"request_id":5,"index":0,"data":{"text":"LG"}}}\0{"jsonrpc":"2.0","method":"agent/chunk","params":{"request_id":5,"index":1,"data":{"text":"TM"}}}\0{"jsonrpc":"2.0","id":5,"result":{"status":"success","data":{"verdict":"LGTM","file":null}}}',
  ],
  [
    '{"jsonrpc":"2.0","id":6,"method":"message/send","params":{"agent":"code-reviewer","message":"hi"}}',
    '{"jsonrpc":"2.0","id":6,"result":{"status":"success","data":{"message_id":"m1"}}}',
  ],
  [
    '{"jsonrpc":"2.0","id":7,"method":"message/broadcast","params":{"message":{"text":"all"}}}',
    '{"jsonrpc":"2.0","id":7,"result":{"status":"success","data":{"message_id":"m1","agents":["code-reviewer"]}}}',
  ],
  ['{"jsonrpc":"2.0","id":8,"method":"ping"}', '{"jsonrpc":"2.0","id":8,"result":{"status":"success","data":{}}}'],
  ['{"jsonrpc":"2.0","method":"ping"}', null],
  ['{"jsonrpc":"2.0","id":8,"result":{}}', null],
  // Every error code of the specification.
  ['{"jsonrpc":', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the body is no JSON in UTF-8"}}'],
  ['{"id":9,"method":"ping"}', '{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"Invalid request: jsonrpc: expected \\"2.0\\""}}'],
  [
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: id: expected a string or a number"}}',
  ],
  ['{"jsonrpc":"2.0","id":9,"method":7}', '{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"Invalid request: method: expected a string"}}'],
  ['42', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: expected an object"}}'],
  ['[]', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: a batch is not empty"}}'],
  ['{"jsonrpc":"2.0","id":10,"method":"agent/fly"}', '{"jsonrpc":"2.0","id":10,"error":{"code":-32601,"message":"Method not found: agent/fly"}}'],
  ['{"jsonrpc":"2.0","id":10,"method":"toString"}', '{"jsonrpc":"2.0","id":10,"error":{"code":-32601,"message":"Method not found: toString"}}'],
  [
    '{"jsonrpc":"2.0","id":11,"method":"agent/call","params":{"agent":"code-reviewer"}}',
    '{"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":"Invalid params: params.action: Invalid input: expected string, received undefined"}}',
  ],
  [
    '{"jsonrpc":"2.0","id":12,"method":"agent/call","params":{"agent":"code-reviewer","action":"explode"}}',
    '{"jsonrpc":"2.0","id":12,"error":{"code":-32603,"message":"Internal error"}}',
  ],
  [
    '{"jsonrpc":"2.0","id":13,"method":"agent/info","params":{"agent":"ghost"}}',
    '{"jsonrpc":"2.0","id":13,"error":{"code":-32000,"message":"Agent not found: ghost","data":{"agents":["code-reviewer"]}}}',
  ],
  [
    '{"jsonrpc":"2.0","id":14,"method":"agent/call","params":{"action":"fly"}}',
    '{"jsonrpc":"2.0","id":14,"error":{"code":-32000,"message":"Agent not found: none can \\"fly\\""}}',
  ],
  [
    '{"jsonrpc":"2.0","id":15,"method":"task/status","params":{"task_id":"t"}}',
    '{"jsonrpc":"2.0","id":15,"error":{"code":-32002,"message":"Task not found"}}',
  ],
  [
    '{"jsonrpc":"2.0","id":15,"method":"task/result","params":{"task_id":"t"}}',
    '{"jsonrpc":"2.0","id":15,"error":{"code":-32002,"message":"Task not found"}}',
  ],
  [
    '{"jsonrpc":"2.0","id":15,"method":"task/cancel","params":{"task_id":"t"}}',
    '{"jsonrpc":"2.0","id":15,"error":{"code":-32002,"message":"Task not found"}}',
  ],
  [
    '[{"jsonrpc":"2.0","id":16,"method":"ping"},{"jsonrpc":"2.0","method":"ping"},7,{"jsonrpc":"2.0","id":17,"method":"agent/fly"}]',
    '[{"jsonrpc":"2.0","id":16,"result":{"status":"success","data":{}}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: expected an object"}},{"jsonrpc":"2.0","id":17,"error":{"code":-32601,"message":"Method not found: agent/fly"}}]',
  ],
  ['[{"jsonrpc":"2.0","method":"ping"}]', null],
];

const FRAMES: Record<Framing, (text: string) => string> = {
  header: (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  'json-line': (text) => `{"content-length": ${Buffer.byteLength(text)}}\n${text}`,
};

describe.each<Framing>(['header', 'json-line'])('golden conversation, %s framing', (framing) => {
  const frame = FRAMES[framing];

  test('each request and each answer, byte for byte', async () => {
    const caller = new Caller();
    for (const [sent, answered] of GOLDEN) {
      caller.send(frame(sent));
      // A request whose answer is known tells that nothing else came before.
      if (answered === null) caller.send(frame(GOLDEN[9]![0]));
      await caller.expect((answered ?? GOLDEN[9]![1]!).split('\0').map(frame).join(''));
    }
    expect(reviewer.heard).toEqual(['hi', 'all']);
  });

  test('byte by byte', async () => {
    const caller = new Caller();
    caller.socket.setNoDelay(true);
    for (const byte of Buffer.from(frame(GOLDEN[3]![0]))) {
      caller.send(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await caller.expect(frame(GOLDEN[3]![1]!));
  });

  test('invalid UTF-8 is a parse error, and the next message is read', async () => {
    const caller = new Caller();
    caller.send(Buffer.concat([Buffer.from(frame('"12"').replace('"12"', '')), Buffer.from([0x22, 0xff, 0xfe, 0x22])]));
    caller.send(frame(GOLDEN[9]![0]));
    await caller.expect(
      frame('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the body is no JSON in UTF-8"}}') + frame(GOLDEN[9]![1]!),
    );
  });

  test('a huge length is refused before anything of it has come, and the connection ends', async () => {
    const caller = new Caller();
    caller.send(framing === 'header' ? 'Content-Length: 99999999999\r\n\r\n' : '{"content-length": 99999999999}\n');
    await caller.expect(
      frame('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: a message has at most 8388608 bytes"}}'),
    );
    await expect.poll(() => caller.isClosed, WAIT).toBe(true);
  });
});

test('each message of a connection is answered in its own framing', async () => {
  const caller = new Caller();
  for (const framing of ['header', 'json-line', 'header'] as const) {
    caller.send(frameOf('{"jsonrpc":"2.0","id":1,"method":"ping"}', framing));
    await caller.expect(FRAMES[framing]('{"jsonrpc":"2.0","id":1,"result":{"status":"success","data":{}}}'));
  }
});

/** A caller that sends and reads JSON. */
async function ask(caller: Caller, method: string, params: JsonObject = {}): Promise<JsonObject> {
  caller.received = Buffer.alloc(0);
  caller.send(frameOf(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), 'header'));
  await expect.poll(() => caller.received.toString(), WAIT).toContain('"id":1');
  return JSON.parse(caller.received.toString().split('\r\n\r\n').at(-1)!) as JsonObject;
}

describe('tasks', () => {
  test('run, are asked after, and end', async () => {
    const caller = new Caller();
    const created = await ask(caller, 'task/create', { agent: 'code-reviewer', action: 'hold' });
    const { task_id } = (created.result as { data: { task_id: string } }).data;
    expect(await ask(caller, 'task/status', { task_id })).toMatchObject({
      result: { data: { status: 'running', agent: 'code-reviewer', action: 'hold' } },
    });
    expect(await ask(caller, 'task/result', { task_id })).not.toMatchObject({ result: { data: { result: {} } } });
    reviewer.held[0]!.resolve({ status: 'success', data: { verdict: 'fine' } });
    expect(await ask(caller, 'task/result', { task_id })).toMatchObject({
      result: { data: { status: 'completed', result: { status: 'success', data: { verdict: 'fine' } } } },
    });
    expect(await ask(caller, 'task/cancel', { task_id })).toMatchObject({ result: { data: { status: 'completed' } } });
  });

  test('are cancelled, outlive the connection that made them, and are known to every other', async () => {
    const first = new Caller();
    const created = await ask(first, 'task/create', { agent: 'code-reviewer', action: 'hold' });
    const { task_id } = (created.result as { data: { task_id: string } }).data;
    first.socket.destroy();
    const second = new Caller();
    expect(await ask(second, 'task/cancel', { task_id })).toMatchObject({ result: { data: { status: 'cancelled' } } });
    expect(await ask(second, 'task/status', { task_id })).toMatchObject({ result: { data: { status: 'cancelled' } } });
    await expect(reviewer.held[0]!.promise).resolves.toMatchObject({ status: 'cancelled' });
  });
});

describe('calls', () => {
  test('an agent with too many open calls is busy', async () => {
    const caller = new Caller();
    for (let id = 100; id < 132; id++) {
      caller.send(
        frameOf(JSON.stringify({ jsonrpc: '2.0', id, method: 'agent/call', params: { agent: 'code-reviewer', action: 'hold' } }), 'header'),
      );
    }
    await expect.poll(() => reviewer.held, WAIT).toHaveLength(32);
    expect(await ask(caller, 'agent/call', { agent: 'code-reviewer', action: 'hold' })).toMatchObject({ error: { code: -32001 } });
    reviewer.held[0]!.resolve({ status: 'success', data: {} });
    await expect.poll(() => caller.received.toString(), WAIT).toContain('"id":100');
    expect(await ask(caller, 'agent/call', { agent: 'code-reviewer', action: 'review' })).toMatchObject({ result: { status: 'success' } });
  });

  test('end when their caller is gone, takes them back, or their time is over', async () => {
    const caller = new Caller();
    const call = (id: number, more: JsonObject = {}) =>
      caller.send(
        frameOf(JSON.stringify({ jsonrpc: '2.0', id, method: 'agent/call', params: { agent: 'code-reviewer', action: 'hold', ...more } }), 'header'),
      );
    call(5, { timeout_ms: 20 });
    await expect.poll(() => caller.received.toString(), WAIT).toContain('"status":"expired"');
    call(6);
    await expect.poll(() => reviewer.held, WAIT).toHaveLength(2);
    caller.send(frameOf('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":6}}', 'header'));
    await expect.poll(() => caller.received.toString(), WAIT).toContain('"id":6,"result":{"status":"cancelled"');
    call(7);
    await expect.poll(() => reviewer.held, WAIT).toHaveLength(3);
    caller.socket.destroy();
    await expect(reviewer.held[2]!.promise).resolves.toMatchObject({ status: 'cancelled' });
  });
});

test('subscribers hear what they asked for, until they are gone', async () => {
  const caller = new Caller();
  const subscribed = await ask(caller, 'agent/subscribe', { agent: 'code-reviewer', events: ['message'] });
  const { subscription_id } = (subscribed.result as { data: { subscription_id: string } }).data;
  caller.received = Buffer.alloc(0);
  expect(methods.publish('code-reviewer', 'presence', {})).toBe(0);
  expect(methods.publish('somebody', 'message', {})).toBe(0);
  expect(methods.publish('code-reviewer', 'message', { text: '你好' })).toBe(1);
  const event = {
    jsonrpc: '2.0',
    method: 'agent/event',
    params: { subscription_id, agent: 'code-reviewer', event: 'message', data: { text: '你好' } },
  };
  await caller.expect(FRAMES.header(JSON.stringify(event)));
  expect(await ask(caller, 'agent/subscribe', { events: ['weather'] })).toMatchObject({ error: { code: -32602 } });
  caller.socket.destroy();
  await expect.poll(() => methods.publish('code-reviewer', 'message', {}), WAIT).toBe(0);
});

test('a Unix socket is for its user alone, and one that somebody listens on is not taken', async () => {
  const path = join(folder, 'acp.sock');
  const unix = await server.listen({ kind: 'unix', path });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await ask(new Caller(unix), 'ping')).toMatchObject({ result: { status: 'success' } });
  await expect(new RpcServer(methods.answer).listen({ kind: 'unix', path })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await server.close();
  expect(existsSync(path)).toBe(false);
  rmSync(folder, { recursive: true });
});
