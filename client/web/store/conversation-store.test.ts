import { describe, expect, it, vi } from 'vitest';
import { NetworkError, UnsendableError } from '../../core/errors.ts';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import { Observable } from './observable.ts';
import { BARE_HOST, conversation, frameOf, ME, settled, welcomeOf } from './testing.ts';

const question = (callId: string) => ({
  name: 'choice',
  action: 'select',
  call_id: callId,
  arguments: { question: 'Where?', options: ['here', 'there'] },
});

describe('loading a conversation', () => {
  it('shows the newest page at once and older ones on demand', async () => {
    const { store, link, http } = conversation();
    http.log = Array.from({ length: 220 }, (_, i) => frameOf(i + 1, 'text', { content: String(i + 1) }));
    store.start();
    link.comeOnline({ head_seq: 220 });
    await settled();
    expect(store.view.get().entries).toHaveLength(50);
    expect(store.view.get().history).toMatchObject({ state: 'ready', hasOlder: true });
    store.loadOlder();
    store.loadOlder();
    await settled();
    expect(store.view.get().entries.map((entry) => entry.seq)).toEqual(Array.from({ length: 150 }, (_, i) => i + 71));
    store.loadOlder();
    await settled();
    expect(store.view.get().history).toMatchObject({ hasOlder: false, trimmed: false });
  });

  it('fills what came between the page and the socket', async () => {
    const { store, link, http } = conversation();
    http.log = [frameOf(1, 'text', { content: 'on the page' })];
    store.start();
    await settled();
    http.log.push(frameOf(2, 'text', { content: 'in between' }));
    link.comeOnline({ head_seq: 2 });
    link.emit('message', frameOf(3, 'text', { content: 'live' }));
    await settled();
    expect(store.view.get().entries.map((entry) => entry.payload.content)).toEqual(['on the page', 'in between', 'live']);
  });

  it('says that it failed, and tries again with the next connection', async () => {
    const { store, link, http } = conversation();
    http.failure = new NetworkError('offline');
    store.start();
    await settled();
    expect(store.view.get().history.state).toBe('failed');
    http.failure = null;
    http.log = [frameOf(1, 'text', { content: 'there' })];
    link.comeOnline({ head_seq: 1 });
    await settled();
    expect(store.view.get()).toMatchObject({ history: { state: 'ready' }, entries: [{ payload: { content: 'there' } }] });
  });

  it('says where messages are no longer kept', async () => {
    const { store, link, http } = conversation();
    http.log = [frameOf(7, 'text', { content: 'oldest kept' })];
    store.start();
    link.comeOnline({ head_seq: 7, oldest_seq: 7 });
    await settled();
    expect(store.view.get().history.trimmed).toBe(true);
    link.emit('gap', { epoch: 'e1', oldest_seq: 90, head_seq: 99 });
    link.emit('message', frameOf(90, 'text', { content: 'after the gap' }));
    expect(store.view.get().entries.map((entry) => entry.type)).toEqual(['text', 'local.gap', 'text']);
  });

  it('begins anew when the log is another one', async () => {
    const { store, link, http } = conversation();
    http.log = [frameOf(5, 'text', { content: 'old' })];
    store.start();
    link.comeOnline({ head_seq: 5 });
    await settled();
    http.log = [frameOf(1, 'text', { content: 'new' })];
    link.comeOnline({ epoch: 'e2', head_seq: 1 });
    await settled();
    expect(store.view.get().entries.map((entry) => entry.payload.content)).toEqual(['new']);
  });
});

describe('what the user sends', () => {
  it('goes from queued over relayed to delivered, and is counted while it waits', async () => {
    const { store, link } = conversation();
    store.start();
    link.become({ name: 'waiting', retryAt: 0, attempt: 1 });
    await store.outgoing.text('hello');
    expect(store.view.get()).toMatchObject({ queued: 1, link: { name: 'offline' } });
    link.status('sent-1', { state: 'relayed', seq: 4, duplicate: false });
    expect(store.view.get()).toMatchObject({ queued: 0, entries: [{ seq: 4 }] });
    link.emit('receipt', { participant: { kind: 'agent', id: 'ag_1' }, seq: 4 });
    expect(store.view.get().agent.received).toBe(4);
  });

  it('that is over a limit is refused with the limit named, and nothing is kept', async () => {
    const { store, link } = conversation();
    link.unsendable = new UnsendableError('invalid_payload', 'too long', { limit: 'max_text_characters', allowed: 65_536 });
    expect(await store.outgoing.text('x')).toEqual({ kind: 'too-large', limit: 'max_text_characters', allowed: 65_536 });
    expect(store.view.get().entries).toHaveLength(0);
  });

  it('is shown as failed with a way to try again when no answer comes', async () => {
    const { store, link } = conversation();
    store.start();
    await store.outgoing.text('hello');
    link.status('sent-1', { state: 'failed', code: 'ack_timeout', message: '', retryable: true });
    expect(store.view.get().entries[0]?.failure?.code).toBe('timeout');
    store.outgoing.retry('sent-1');
    link.status('sent-1', { state: 'sending' });
    expect(store.view.get().entries[0]?.failure).toBeNull();
    store.outgoing.discard('sent-1');
    expect(store.view.get().entries).toHaveLength(0);
    expect(link.calls).toContain('discard sent-1');
  });

  it('before a reload is there again, and an answer on its way keeps its card closed', async () => {
    const { store, link } = conversation();
    const entry = (id: string, type: string, payload: object) => ({ id, type, payload: payload as never, created_at: 0 });
    link.outbox = [
      { entry: entry('a', 'text', { content: 'kept' }), status: { state: 'queued' } },
      { entry: entry('b', 'tool.result', { ...question('c1'), result: { message: 'here', selected: ['here'] } }), status: { state: 'queued' } },
    ];
    store.start();
    link.emit('message', frameOf(1, 'tool.call', question('c1')));
    await settled();
    expect(store.view.get().entries.find((each) => each.call)?.call?.status).toBe('sending');
    expect(store.view.get().entries.some((each) => each.payload.content === 'kept')).toBe(true);
    // The text and the answer.
    expect(store.view.get().queued).toBe(2);
  });
});

describe('what the device answers by itself', () => {
  it('is its tools, as a reply to the question', () => {
    const { store, link } = conversation();
    store.start();
    link.emit('message', { ...frameOf(0, 'tool.list', {}), id: 'ask', seq: null });
    const [answer] = link.sentOf('tool.list');
    expect(answer).toMatchObject({ reply_to: 'ask' });
    expect(answer?.tools).toMatchObject([{ name: 'choice' }, { name: 'confirm' }, { name: 'input' }, { name: 'calculator' }, { name: 'canvas' }]);
  });

  it('is its inventory, at each connection and at each change while there is one', () => {
    let revision = 'r1';
    const inventory = new Observable(
      () => ({ ...BARE_HOST.inventory.get(), revision }),
      (run) => run(),
    );
    const change = (next: string) => {
      revision = next;
      inventory.changed();
    };
    const { store, link } = conversation({ host: { ...BARE_HOST, inventory } });
    const declared = () => link.sentOf('lineup.v1.client.inventory').map((sent) => sent.revision);
    store.start();
    change('r2');
    link.comeOnline();
    expect(declared()).toEqual(['r2']);
    change('r3');
    link.comeOnline({ resumed: true });
    expect(declared()).toEqual(['r2', 'r3', 'r3']);
  });

  it('never lets an inventory that was true before overtake the one that is', async () => {
    const { store, link } = conversation();
    link.outbox = [
      {
        entry: { id: 'old', type: 'lineup.v1.client.inventory', payload: { revision: 'older' }, created_at: 0 },
        status: { state: 'queued' },
      },
    ];
    store.start();
    await settled();
    expect(link.calls).toContain('discard old');
  });

  it('is the calculator, and what it cannot do; questions wait for the user', () => {
    const { store, link } = conversation();
    store.start();
    const calls = [
      { name: 'calculator', action: 'add', call_id: 'c1', arguments: { a: 1, b: 2 } },
      { name: 'toaster', call_id: 'c2', arguments: {} },
      { name: 'input', action: 'ask', call_id: 'c3', arguments: {} },
      question('c4'),
    ];
    calls.forEach((call, i) => link.emit('message', frameOf(i + 1, 'tool.call', call)));
    expect(link.sentOf('tool.result').map(({ call_id, result, error }) => [call_id, (result ?? error) as object])).toEqual([
      ['c1', { message: '3', value: 3 }],
      ['c2', expect.objectContaining({ code: 'unknown_tool' })],
      ['c3', expect.objectContaining({ code: 'invalid_arguments', message: expect.stringContaining('arguments.question') as string })],
    ]);
    expect(store.view.get().open.map((entry) => entry.call?.callId)).toEqual(['c4']);
  });

  it('is nothing that was settled before', () => {
    const { store, link } = conversation();
    store.start();
    const settledStamp = { status: 'completed', by: ME, at: '2026-11-29T09:41:00.000Z' };
    link.emit(
      'message',
      frameOf(1, 'tool.call', { name: 'calculator', action: 'add', call_id: 'c1', arguments: { a: 1, b: 2 } }, { settled: settledStamp }),
    );
    expect(link.sentOf('tool.result')).toEqual([]);
  });

  it('leaves to other devices what it does not offer, once the relay knows, unless it is asked alone', () => {
    const taken: [string, boolean][] = [];
    const desk = {
      ...BARE_HOST.desk,
      take: (_caller: unknown, { call_id }: { call_id: string }, silent: boolean) => Promise.resolve(void taken.push([call_id, silent])),
    };
    const { store, link } = conversation({ host: { ...BARE_HOST, desk } });
    store.start();
    link.comeOnline();
    const ask = (seq: number, target?: Delivered['target']) =>
      link.emit(
        'message',
        frameOf(
          seq,
          'lineup.v1.app.call',
          { call_id: `c${seq}`, capability: 'app.open_url', reason: '', arguments: {} },
          target === undefined ? {} : { target },
        ),
      );
    ask(1);
    link.status('sent-1', { state: 'relayed', seq: null, duplicate: false });
    ask(2);
    ask(3, ME);
    expect(taken).toEqual([
      ['c1', false],
      ['c2', true],
      ['c3', false],
    ]);
  });

  it('tells the desk what was settled elsewhere, taken back, or settled while it was away', () => {
    const told: string[] = [];
    const desk = {
      ...BARE_HOST.desk,
      settled: (_id: string, callId: string) => void told.push(`settled ${callId}`),
      pending: (_id: string, callIds: readonly string[]) => void told.push(`pending ${callIds.join(' ')}`),
      leave: () => void told.push('left'),
    };
    const { store, link } = conversation({ host: { ...BARE_HOST, desk } });
    store.start();
    link.comeOnline({ pending_calls: ['c1', 'c2'] });
    link.emit('settled', { call_id: 'c1', status: 'completed', by: { kind: 'app', id: 'dv_other' } });
    link.emit('message', frameOf(1, 'lineup.v1.app.cancel', { call_id: 'c2' }));
    void store.close();
    expect(told).toEqual(['pending c1 c2', 'settled c1', 'settled c2', 'left']);
  });
});

describe('the agent on the other side', () => {
  it('is timed from when this device saw it begin', () => {
    const { store, link } = conversation();
    store.start();
    link.emit('welcome', welcomeOf({ status: { state: 'thinking', run_id: 'r1' } }));
    expect(store.view.get().status).toMatchObject({ state: 'thinking', since: null });
    link.emit('synced', { seq: 0 });
    link.emit('message', { ...frameOf(0, 'status', { state: 'working', run_id: 'r1' }), seq: null });
    expect(store.view.get().status).toMatchObject({ state: 'working', since: 1_000 });
  });

  it('that goes away leaves its text unfinished and its progress behind', () => {
    const { store, link } = conversation();
    store.start();
    link.comeOnline();
    link.emit('message', { ...frameOf(0, 'text.delta', { message_id: 'm1', offset: 0, delta: 'Hel' }), seq: null });
    link.emit('message', { ...frameOf(0, 'progress', { run_id: 'r1', percent: 40 }), seq: null });
    expect(store.view.get()).toMatchObject({ flowing: true, progress: { percent: 40 } });
    link.emit('presence', { peer: { kind: 'agent', id: 'ag_1' }, online: false, last_seen: '2026-11-29T09:41:00.000Z' });
    expect(store.view.get()).toMatchObject({ flowing: false, progress: null, agent: { online: false }, entries: [{ stream: 'stalled' }] });
  });
});

describe('a question that was settled while the device was away', () => {
  it('waits no longer once the relay is back, and says how it ended as the log has it', async () => {
    const { store, link, http } = conversation();
    store.start();
    link.comeOnline();
    link.emit('message', frameOf(1, 'tool.call', question('c1')));
    link.emit('message', frameOf(2, 'tool.call', question('c2')));
    link.become({ name: 'waiting', retryAt: 0, attempt: 1 });
    expect(store.view.get().needs.map(({ id }) => id)).toEqual(['c1', 'c2']);
    const at = '2026-11-29T10:00:00.000Z';
    http.log = [frameOf(1, 'tool.call', question('c1'), { settled: { status: 'completed', by: { kind: 'app', id: 'dv_other' }, at } })];
    link.comeOnline({ resumed: true, head_seq: 2, pending_calls: ['c2'] });
    expect(store.view.get().needs.map(({ id }) => id)).toEqual(['c2']);
    await settled();
    expect(store.view.get().entries[0]?.call).toMatchObject({ status: 'completed', by: { id: 'dv_other' }, at });
  });
});

describe('what needs the user', () => {
  it('is a question, a call that the desk asks about, and a surface that nobody knows', async () => {
    let asking: string[] = [];
    let changed = () => undefined as void;
    const desk = {
      ...BARE_HOST.desk,
      asking: () => asking,
      view: {
        subscribe: (listener: () => void) => {
          changed = listener;
          return () => undefined;
        },
      },
    };
    const { store, link } = conversation({ host: { ...BARE_HOST, desk } });
    store.start();
    link.comeOnline({ surfaces: ['s1'] });
    link.emit('message', frameOf(1, 'tool.call', question('c1')));
    link.emit('message', frameOf(2, 'lineup.v1.app.call', { call_id: 'c2', capability: 'app.open_url', reason: '', arguments: {} }));
    const app = { id: 'com.example.weather', name: 'Weather', version: '1.0.0', html: '<p></p>' };
    link.emit('message', frameOf(3, 'lineup.v1.ui.open', { instance_id: 's1', app, state: {} }));
    const kinds = () => store.view.get().needs.map(({ kind }) => kind);
    await vi.waitFor(() => expect(kinds()).toEqual(['question', 'surface']));
    asking = ['c2'];
    changed();
    expect(kinds()).toEqual(['question', 'capability', 'surface']);
    store.surfaces.decline('s1');
    expect(kinds()).toEqual(['question', 'capability']);
    const before = store.view.get().needs;
    link.emit('message', frameOf(4, 'text', { content: 'by the way' }));
    expect(store.view.get().needs).toBe(before);
  });
});

describe('what was read', () => {
  it('is remembered, and what comes later is new', () => {
    const { store, link } = conversation();
    store.start();
    link.emit('message', frameOf(1, 'text', { content: 'one' }));
    expect(store.view.get().unread.count).toBe(1);
    store.markRead();
    expect(store.view.get().unread.count).toBe(0);
    link.emit('message', frameOf(2, 'text', { content: 'two' }));
    expect(store.view.get().unread.count).toBe(1);
  });

  it('counts what the agent says and asks, and not what this device answers by itself', () => {
    const { store, link } = conversation();
    store.start();
    link.emit('message', frameOf(1, 'tool.call', { name: 'calculator', action: 'add', call_id: 'c1', arguments: { a: 1, b: 2 } }));
    link.emit('message', frameOf(2, 'tool.call', question('c2')));
    link.emit('message', frameOf(3, 'text', { content: 'from the other device' }, { sender: { kind: 'app', id: 'dv_other' } }));
    link.emit('gap', { epoch: 'e1', oldest_seq: 3, head_seq: 3 });
    expect(store.view.get().unread).toEqual({ count: 1, more: false });
  });

  it('may be more than what is loaded', async () => {
    const { store, link, http } = conversation();
    http.log = Array.from({ length: 80 }, (_, i) => frameOf(i + 1, 'text', { content: String(i) }));
    store.start();
    link.comeOnline({ head_seq: 80 });
    await settled();
    expect(store.view.get().unread).toEqual({ count: 50, more: true });
    store.markRead();
    expect(store.view.get().unread).toEqual({ count: 0, more: false });
  });

  it('includes what has no place on the screen', () => {
    const { store, link } = conversation();
    store.start();
    link.comeOnline({ head_seq: 7 });
    expect(store.hasRead(7)).toBe(false);
    store.markRead();
    expect(store.hasRead(7)).toBe(true);
  });

  it('of another log says nothing about this one', () => {
    const { store, link } = conversation();
    store.start();
    link.comeOnline({ head_seq: 7 });
    link.emit('message', frameOf(7, 'text', { content: 'seven' }));
    store.markRead();
    link.comeOnline({ epoch: 'e2', head_seq: 0 });
    link.emit('message', frameOf(1, 'text', { content: 'anew' }));
    expect(store.view.get().unread.count).toBe(1);
  });
});
