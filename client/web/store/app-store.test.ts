import { describe, expect, it } from 'vitest';
import { NetworkError, RelayError } from '../../core/errors.ts';
import { AppStore, type Surroundings } from './app-store.ts';
import { LocalStore } from './local-store.ts';
import { conversation, settled, type ScriptedLink } from './testing.ts';

const invitation = { code: 'K7Q29FXM', relay: 'https://relay.example' };

function app(local = new LocalStore(null)) {
  const log: string[] = [];
  const links = new Map<string, ScriptedLink>();
  const listed = [{ conversation_id: 'cv_1', title: null, created_at: '2026-11-01', last_message_at: null, head_seq: 0 }];
  let device = 0;
  let failure: Error | null = null;
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
    conversations: () => Promise.resolve(listed),
    create: () => Promise.reject(new Error('not asked for')),
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
      return failure ? Promise.reject(failure) : Promise.resolve();
    },
    open(pairing, info, on) {
      log.push(`open ${info.conversation_id} as ${pairing.deviceId}`);
      const { store, link } = conversation({ onStopped: on.stopped, onConversations: on.listChanged, conversationId: info.conversation_id });
      links.set(info.conversation_id, link);
      return store;
    },
    wipe() {
      log.push('wipe');
      return Promise.resolve();
    },
  };
  const store = new AppStore(
    local,
    () => around,
    (run) => run(),
  );
  return { store, log, links, listed, local, fail: (error: Error | null) => (failure = error) };
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
    expect(log).toContain('open cv_moved as dv_1');
    expect(log).not.toContain('open cv_1 as dv_1');
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
    expect(store.view.get()).toMatchObject({ pairings: [], rows: [] });
  });
});
