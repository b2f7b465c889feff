import { describe, expect, it, vi } from 'vitest';
import { NetworkError, RelayError } from '../../core/errors.ts';
import { AppStore, type Surroundings } from './app-store.ts';
import { LocalStore } from './local-store.ts';
import type { Pairing } from './pairings.ts';
import { conversation, frameOf, settled, type ScriptedLink } from './testing.ts';

vi.stubGlobal('window', new EventTarget());

const invitation = { code: 'K7Q29FXM', relay: 'https://relay.example' };

const conversationInfo = (id: string) => ({ conversation_id: id, title: null, created_at: '2026-11-02', last_message_at: null, head_seq: 0 });

function app(local = new LocalStore(null)) {
  const log: string[] = [];
  const links = new Map<string, ScriptedLink>();
  const listed = [{ conversation_id: 'cv_1', title: null, created_at: '2026-11-01', last_message_at: null, head_seq: 0 }];
  let device = 0;
  let asked = 0;
  let failure: Error | null = null;
  let onUnpair = () => undefined as void;
  const around: Surroundings = {
    redeem() {
      log.push('redeem');
      if (failure) return Promise.reject(failure);
      device++;
      return Promise.resolve({
        device_id: `dv_${device}`,
        agent: { id: 'ag_1', name: 'Hermes' },
        conversation_id: 'cv_1',
        token: `t${device}`,
        expires_at: '',
      });
    },
    conversations() {
      asked += 1;
      return failure ? Promise.reject(failure) : Promise.resolve([...listed]);
    },
    create: () => Promise.resolve(conversationInfo('cv_made')),
    rename(_, id, title) {
      log.push(`rename ${id} ${title}`);
      return failure ? Promise.reject(failure) : Promise.resolve({ conversation_id: id, title, created_at: '', last_message_at: null, head_seq: 0 });
    },
    remove(_, id) {
      log.push(`remove ${id}`);
      return failure ? Promise.reject(failure) : Promise.resolve();
    },
    unpair(pairing) {
      log.push(`unpair ${pairing.deviceId}`);
      onUnpair();
      return failure && !(failure instanceof DOMException) ? Promise.reject(failure) : Promise.resolve();
    },
    open(pairing, info, on) {
      log.push(`open ${info.conversation_id} as ${pairing.deviceId}`);
      const { store, link } = conversation({ onStopped: on.stopped, onConversations: on.listChanged, conversationId: info.conversation_id, local });
      links.set(info.conversation_id, link);
      return store;
    },
    forget(pairing, id) {
      log.push(`forget ${id} of ${pairing.deviceId}`);
      return Promise.resolve();
    },
    wipe() {
      log.push('wipe');
      return failure instanceof DOMException ? Promise.reject(failure) : Promise.resolve();
    },
  };
  const store = new AppStore(
    local,
    () => around,
    (run) => run(),
  );
  return {
    store,
    log,
    links,
    listed,
    local,
    asked: () => asked,
    fail: (error: Error | null) => (failure = error),
    whenUnpaired: (heard: () => void) => (onUnpair = heard),
  };
}

describe('pairing', () => {
  it('redeems once, however often it is tapped', async () => {
    const { store, log } = app();
    const taps = [store.pair(invitation, 'Phone'), store.pair(invitation, 'Phone'), store.pair(invitation, 'Phone')];
    expect(await Promise.all(taps)).toEqual([null, null, null]);
    expect(log.filter((line) => line === 'redeem')).toHaveLength(1);
    expect(store.view.get().rows).toHaveLength(1);
  });

  it('begins with the conversation that the link names', async () => {
    const { store, log } = app();
    await store.pair({ ...invitation, conversationId: 'cv_moved' }, 'Phone');
    expect(log.find((line) => line.startsWith('open'))).toBe('open cv_moved as dv_1');
  });

  it('is not needed for a conversation of an agent that this device is paired with', async () => {
    const { store, listed } = app();
    const link = { ...invitation, conversationId: 'cv_moved' };
    listed.push(conversationInfo('cv_moved'));
    expect(await store.invite(link)).toBeNull();
    expect(store.view.get().invitation).toEqual(link);
    await store.pair(link, 'Phone');
    expect(await store.invite({ ...link, code: 'ANOTHER1' })).toBe('https://relay.example|ag_1|cv_moved');
    expect(await store.invite({ ...link, conversationId: 'cv_1' })).toBe('https://relay.example|ag_1|cv_1');
    expect(store.view.get().invitation).toBeNull();
    for (const other of [{ ...link, conversationId: 'cv_2' }, { ...link, relay: 'https://other.example' }, invitation]) {
      expect(await store.invite(other)).toBeNull();
      expect(store.view.get().invitation).toEqual(other);
    }
  });

  it('is not needed in a new page either, where only the list knows of the conversation', async () => {
    const { store, local } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    const later = app(local);
    later.listed.push(conversationInfo('cv_moved'));
    later.store.start();
    expect(await later.store.invite({ ...invitation, conversationId: 'cv_moved' })).toBe('https://relay.example|ag_1|cv_moved');
    expect(later.store.view.get().invitation).toBeNull();
  });

  it('redeems nothing when the relay, which was away as the user was asked, knows that this device is at home there', async () => {
    const { store, log, listed, fail } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    const link = { ...invitation, conversationId: 'cv_moved' };
    fail(new NetworkError('down'));
    expect(await store.invite(link)).toBeNull();
    expect(store.view.get().invitation).toEqual(link);
    fail(null);
    listed.push(conversationInfo('cv_moved'));
    expect(await store.pair(link, 'Phone')).toBeNull();
    expect(log.filter((line) => line === 'redeem')).toHaveLength(1);
    expect(store.view.get().invitation).toBeNull();
    expect(store.view.get().rows.map(({ info }) => info.conversation_id)).toContain('cv_moved');
  });

  it('is asked about for the code that was given last', async () => {
    const { store } = app();
    await store.pair(invitation, 'Phone');
    const slow = store.invite({ ...invitation, conversationId: 'cv_9' });
    const last = { code: 'ANOTHER1', relay: 'https://other.example' };
    await store.invite(last);
    expect(await slow).toBeNull();
    expect(store.view.get().invitation).toEqual(last);
  });

  it('tells in values what went wrong', async () => {
    const { store, fail } = app();
    fail(new RelayError({ code: 'rate_limited', message: 'slow down', status: 429, retryable: true, retryAfter: 42 }));
    expect(await store.pair(invitation, 'Phone')).toEqual({ kind: 'refused', code: 'rate_limited', message: 'slow down', retryAfter: 42 });
    fail(new NetworkError('down'));
    expect(await store.pair(invitation, 'Phone')).toEqual({ kind: 'offline' });
    expect(store.view.get().pairings).toEqual([]);
  });

  it('with an agent that it knows takes the place of the old device', async () => {
    const { store, log } = app();
    await store.pair(invitation, 'Phone');
    await store.pair(invitation, 'Phone');
    await settled();
    expect(store.view.get().pairings.map(({ deviceId }) => deviceId)).toEqual(['dv_2']);
    expect(log).toContain('unpair dv_1');
    expect(log.at(-1)).toBe('open cv_1 as dv_2');
  });
});

describe('a pairing that the relay ended', () => {
  it('is shown as ended and never connected again', async () => {
    const { store, links, log } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    links.get('cv_1')?.become({ name: 'stopped', reason: 'pair-again' });
    await settled();
    expect(store.view.get().pairings).toMatchObject([{ ended: true }]);
    expect(store.view.get().rows).toEqual([]);
    expect(log.filter((line) => line.startsWith('open'))).toHaveLength(1);
    await store.unpair(store.view.get().pairings[0]?.key ?? '');
    expect(log).not.toContain('unpair dv_1');
    expect(store.view.get().pairings).toEqual([]);
  });
});

describe('conversations', () => {
  it('come and go with what the relay lists', async () => {
    const { store, links, listed } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    listed.push({ conversation_id: 'cv_2', title: null, created_at: '2026-11-02', last_message_at: null, head_seq: 0 });
    links.get('cv_1')?.emit('conversation', { conversation: listed[1] as never, change: 'created' });
    await settled();
    expect(store.view.get().rows.map(({ info }) => info.conversation_id)).toEqual(['cv_2', 'cv_1']);
    listed.shift();
    links.get('cv_1')?.become({ name: 'stopped', reason: 'not-found' });
    await settled();
    expect(store.view.get().rows.map(({ info }) => info.conversation_id)).toEqual(['cv_2']);
    expect(links.get('cv_1')?.calls).toContain('close');
  });
});

describe('a conversation', () => {
  it('gets another name, and loses it when the name is blank', async () => {
    const { store, log } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    const key = store.view.get().rows[0]?.key ?? '';
    expect(await store.rename(key, '  Kitchen ')).toBeNull();
    expect(store.view.get().rows[0]?.info.title).toBe('Kitchen');
    expect(await store.rename(key, '  ')).toBeNull();
    expect(log.filter((line) => line.startsWith('rename'))).toEqual(['rename cv_1 Kitchen', 'rename cv_1 null']);
    expect(store.view.get().rows[0]?.info.title).toBeNull();
  });

  it('that cannot be renamed or deleted stays as it was, and says why', async () => {
    const { store, fail } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    const key = store.view.get().rows[0]?.key ?? '';
    fail(new NetworkError('down'));
    expect(await store.rename(key, 'Kitchen')).toEqual({ kind: 'offline' });
    expect(await store.remove(key)).toEqual({ kind: 'offline' });
    expect(store.view.get().rows.map(({ info }) => info.title)).toEqual([null]);
  });

  it('that is deleted is gone here at once, also when somebody else was faster', async () => {
    for (const refusal of [null, new RelayError({ code: 'not_found', message: 'gone', status: 404, retryable: false })]) {
      const { store, fail, links } = app();
      await store.pair(invitation, 'Phone');
      await settled();
      fail(refusal);
      expect(await store.remove(store.view.get().rows[0]?.key ?? '')).toBeNull();
      expect(store.view.get().rows).toEqual([]);
      expect(links.get('cv_1')?.calls).toContain('close');
    }
  });
});

describe('of a conversation that is gone', () => {
  const kept = (local: LocalStore) => ['draft', 'read', 'inventory', 'canvas'].filter((what) => local.read(`${what}.cv_1`) !== null);
  const keep = (local: LocalStore) => {
    for (const what of ['draft', 'read', 'inventory', 'canvas']) local.write(`${what}.cv_1`, '1');
    local.write('draft.cv_2', 'half a thought');
  };

  it('nothing is kept here after it was deleted, and the pairing begins with another one', async () => {
    const { store, listed, local, log } = app();
    listed.push(conversationInfo('cv_2'));
    await store.pair(invitation, 'Phone');
    await settled();
    keep(local);
    expect(await store.remove('https://relay.example|ag_1|cv_1')).toBeNull();
    expect(kept(local)).toEqual([]);
    expect(local.read('draft.cv_2')).toBe('half a thought');
    expect(log).toContain('forget cv_1 of dv_1');
    const later = app(local);
    later.listed.splice(0, 1, conversationInfo('cv_2'));
    later.store.start();
    await settled();
    expect(later.log).toEqual(['open cv_2 as dv_1']);
  });

  it('nothing is kept here when another device deleted it, and one that is made meanwhile stays', async () => {
    const { store, listed, local, log } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    keep(local);
    listed.splice(0, 1);
    const asking = store.refresh(store.view.get().pairings[0] as Pairing);
    const made = await store.create(store.view.get().pairings[0] as Pairing);
    await asking;
    expect(kept(local)).toEqual([]);
    expect(log).toContain('forget cv_1 of dv_1');
    expect(store.view.get().rows.map(({ key }) => key)).toEqual([made.ok && made.key]);
  });

  it('nothing is kept here when it was deleted while no page was open', async () => {
    const { store, listed, local } = app();
    listed.unshift(conversationInfo('cv_2'));
    await store.pair({ ...invitation, conversationId: 'cv_2' }, 'Phone');
    await settled();
    keep(local);
    const later = app(local);
    later.listed.splice(0, 1, conversationInfo('cv_2'));
    later.store.start();
    await settled();
    expect(kept(local)).toEqual([]);
    expect(local.read('draft.cv_2')).toBe('half a thought');
    expect(later.log).toEqual(['open cv_2 as dv_1', 'forget cv_1 of dv_1']);
  });

  it('the last one leaves a pairing that begins with none', async () => {
    const { store, local } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    await store.remove('https://relay.example|ag_1|cv_1');
    const later = app(local);
    later.listed.splice(0);
    later.store.start();
    await settled();
    expect(later.store.view.get()).toMatchObject({ rows: [], pairings: [{ conversationId: null }] });
    expect(later.log).toEqual([]);
  });

  it('nothing is kept here when its agent is unpaired', async () => {
    const { store, local, log } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    keep(local);
    local.write('devices.https://relay.example|ag_1', '{}');
    expect(local.read('listed.https://relay.example|ag_1')).toBe('["cv_1"]');
    await store.unpair('https://relay.example|ag_1');
    expect(kept(local)).toEqual([]);
    expect(local.read('devices.https://relay.example|ag_1')).toBeNull();
    expect(local.read('listed.https://relay.example|ag_1')).toBeNull();
    expect(log).toContain('forget cv_1 of dv_1');
  });
});

describe('the list', () => {
  const info = (n: number, head_seq = 0) => ({
    conversation_id: `cv_${n}`,
    title: null,
    created_at: `2026-11-01T00:00:${String(n).padStart(2, '0')}.000Z`,
    last_message_at: null,
    head_seq,
  });

  it('is asked for once more, however many connections come back at once', async () => {
    const { store, links, asked } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    const before = asked();
    for (let i = 0; i < 5; i++) links.get('cv_1')?.emit('conversation', { conversation: info(1) as never, change: 'renamed' });
    await settled();
    expect(asked() - before).toBe(2);
  });

  it('has the conversation on top in which something was said last', async () => {
    const { store, links, listed } = app();
    listed.push(info(2), info(3));
    await store.pair(invitation, 'Phone');
    await settled();
    const order = () => store.view.get().rows.map((row) => row.info.conversation_id);
    expect(order()).toEqual(['cv_3', 'cv_2', 'cv_1']);
    links.get('cv_1')?.emit('message', frameOf(1, 'text', { content: 'hello' }));
    expect(order()[0]).toBe('cv_1');
  });

  it('connects the most recent ones, and the others when they are looked at', async () => {
    const { store, links, listed } = app();
    listed.push(...Array.from({ length: 30 }, (_, i) => info(i + 2)));
    await store.pair(invitation, 'Phone');
    await settled();
    const row = store.view.get().rows.find(({ info: { conversation_id } }) => conversation_id === 'cv_2');
    expect(row?.connected).toBe(false);
    expect(links.get('cv_2')?.calls).toEqual([]);
    store.show(row?.key ?? null);
    expect(links.get('cv_2')?.calls).toEqual(['start']);
  });

  it('takes for read what was said before this device was paired', async () => {
    const { store, listed } = app();
    listed.push(info(2, 9));
    await store.pair(invitation, 'Phone');
    await settled();
    const row = store.view.get().rows.find(({ info: { conversation_id } }) => conversation_id === 'cv_2');
    expect(row?.store.hasRead(9)).toBe(true);
  });

  it('knows which conversations came up while the page was open', async () => {
    const { store, links, listed } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    listed.push(info(2));
    links.get('cv_1')?.emit('conversation', { conversation: info(2) as never, change: 'created' });
    await settled();
    expect(store.view.get().rows.map(({ info: { conversation_id }, late }) => [conversation_id, late])).toEqual([
      ['cv_2', true],
      ['cv_1', false],
    ]);
  });

  it('counts what needs the user everywhere, and says when connections are down', async () => {
    const { store, links, listed } = app();
    listed.push(info(2));
    await store.pair(invitation, 'Phone');
    await settled();
    const call = { name: 'confirm', action: 'ask', call_id: 'c1', arguments: { question: 'Shall I?' } };
    for (const link of links.values()) link.comeOnline();
    for (const link of links.values()) link.emit('message', frameOf(1, 'tool.call', call));
    expect(store.view.get()).toMatchObject({ needing: 2, offline: 'none' });
    links.get('cv_1')?.become({ name: 'waiting', retryAt: 0, attempt: 1 });
    expect(store.view.get().offline).toBe('some');
    links.get('cv_2')?.become({ name: 'waiting', retryAt: 0, attempt: 1 });
    expect(store.view.get().offline).toBe('all');
  });
});

describe('the ways out', () => {
  it('forget the device here even when the relay cannot be told, and say so', async () => {
    const { store, fail } = app();
    await store.pair(invitation, 'Phone');
    fail(new NetworkError('down'));
    await store.unpair(store.view.get().pairings[0]?.key ?? '');
    expect(store.view.get()).toMatchObject({ pairings: [], untold: true });
  });

  it('count as done when the relay has let the device go already', async () => {
    const { store, fail } = app();
    await store.pair(invitation, 'Phone');
    fail(new RelayError({ code: 'unauthorized', message: '', status: 401, retryable: false }));
    await store.unpair(store.view.get().pairings[0]?.key ?? '');
    expect(store.view.get().untold).toBe(false);
  });

  it('wipe everything when the user signs out', async () => {
    const { store, log, local } = app();
    await store.pair(invitation, 'Phone');
    local.write('draft.cv_1', 'half a thought');
    await store.signOut();
    expect(log.slice(-2)).toEqual(['unpair dv_1', 'wipe']);
    expect(local.read('draft.cv_1')).toBeNull();
    expect(store.view.get()).toMatchObject({ pairings: [], rows: [], leftover: false });
  });

  it.each([
    { way: 'signing out', take: (store: AppStore) => store.signOut() },
    { way: 'unpairing', take: (store: AppStore) => store.unpair(store.view.get().pairings[0]?.key ?? '') },
  ])('leave nothing to another tab: it hears of it before the relay does, and what it wrote meanwhile goes too ($way)', async ({ take }) => {
    const { store, local, whenUnpaired } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    const before = local.read('pairings');
    const seen: (string | null)[] = [];
    whenUnpaired(() => {
      seen.push(local.read('pairings'));
      // It had read them before, and notes that the relay let the device go.
      local.write('pairings', before?.replace('"ended":false', '"ended":true') ?? null);
    });
    await take(store);
    expect(seen).toEqual([null]);
    expect(local.read('pairings')).toBeNull();
    expect(store.view.get().pairings).toEqual([]);
  });

  it('say so when the browser does not let go of something, and are taken all the same', async () => {
    const { store, fail } = app();
    await store.pair(invitation, 'Phone');
    await settled();
    let told = 0;
    store.view.subscribe(() => told++);
    fail(new DOMException('in use', 'UnknownError'));
    await store.signOut();
    expect(told).toBeGreaterThan(0);
    expect(store.view.get()).toMatchObject({ pairings: [], rows: [], leftover: true });
  });
});
