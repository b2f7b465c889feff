import { describe, expect, it } from 'vitest';
import type { Notice } from './notices.ts';
import type { AppView } from '../store/app-store.ts';
import type { ConversationRow } from '../store/conversation-rows.ts';
import { Observable } from '../store/observable.ts';
import { conversation, frameOf, type ScriptedLink } from '../store/testing.ts';
import { Attention } from './attention.ts';

const ask = (link: ScriptedLink, seq: number) =>
  link.emit(
    'message',
    frameOf(seq, 'tool.call', { name: 'confirm', action: 'ask', call_id: `c${seq}`, arguments: { question: `Question ${seq}?` } }),
  );

function world({ late = false } = {}) {
  const { store, link } = conversation();
  store.start();
  const row = { key: 'row', store, late, connected: true } as ConversationRow;
  const there = { rows: [row], pairings: [{ key: 'relay|ag_1' }, { key: 'relay|ag_2' }] };
  const now = { visible: true, listed: false, screen: null as string | null };
  const at = (run: () => void) => run();
  const view = new Observable(() => ({ ...there, needing: store.view.get().needs.length }) as unknown as AppView, at);
  store.view.subscribe(() => view.changed());
  const screen = new Observable(() => now.screen, at);
  const told: string[] = [];
  const badges: number[] = [];
  const notices = {
    show: ({ title }: Notice) => told.push(title) > 0,
    forget: (key: string) => void told.push(`forget ${key}`),
    keepOnly: (isThere: (key: string) => boolean) =>
      void told.push(`keep only ${['relay|ag_1|row', 'relay|ag_1|unlisted', 'relay|ag_2|cv'].filter(isThere).join(', ')}`),
  };
  new Attention({
    app: { view, screen },
    notices,
    badge: (count) => void badges.push(count),
    visible: () => now.visible,
    listed: () => now.listed,
    t: ((key: string) => key) as never,
  }).start();
  const show = (key: string | null) => {
    now.screen = key;
    screen.changed();
  };
  const news = () => told.splice(0).filter((title) => !title.startsWith('forget'));
  /** Makes the list another one. */
  const list = (change: Partial<typeof there>) => {
    Object.assign(there, change);
    view.changed();
  };
  return { link, now, show, told, news, badges, row, list };
}

describe('a notice', () => {
  it('is not shown over the list, which says the same', () => {
    const { link, now, news } = world();
    link.comeOnline({});
    now.listed = true;
    ask(link, 1);
    expect(news()).toEqual([]);
    now.visible = false;
    ask(link, 2);
    expect(news()).toHaveLength(1);
  });

  it('tells what comes up, but not what waited already', () => {
    const { link, news } = world();
    link.become({ name: 'syncing' });
    ask(link, 1);
    link.comeOnline({ pending_calls: ['c1'] });
    expect(news()).toEqual([]);
    ask(link, 2);
    expect(news()).toEqual(['Question 2?']);
    link.emit('message', frameOf(3, 'text', { content: 'by the way' }));
    expect(news()).toEqual([]);
  });

  it('tells what came while the connection was down', () => {
    const { link, news } = world();
    link.comeOnline();
    link.become({ name: 'waiting', retryAt: 0, attempt: 1 });
    link.become({ name: 'syncing' });
    ask(link, 1);
    expect(news()).toEqual([]);
    link.comeOnline({ resumed: true, pending_calls: ['c1'] });
    expect(news()).toEqual(['Question 1?']);
  });

  it('tells what waits in a conversation that came up while the page was open', () => {
    const { link, news } = world({ late: true });
    ask(link, 1);
    link.comeOnline({ pending_calls: ['c1'] });
    expect(news()).toEqual(['Question 1?']);
  });

  it('says nothing of what is before the user’s eyes, and does when nobody looks', () => {
    const { link, now, show, news } = world();
    link.comeOnline();
    show('row');
    ask(link, 1);
    expect(news()).toEqual([]);
    now.visible = false;
    ask(link, 2);
    expect(news()).toEqual(['Question 2?']);
  });

  it('is taken back when nothing needs the user any more, or the conversation is looked at', () => {
    const { link, show, told } = world();
    link.comeOnline();
    ask(link, 1);
    told.splice(0);
    show('row');
    expect(told.splice(0)).toEqual(['forget row']);
    link.emit('settled', { call_id: 'c1', status: 'expired', by: { kind: 'relay' } });
    expect(told).toEqual(['forget row']);
  });
});

describe('what was told of a conversation', () => {
  it('before the page was opened is taken back when nothing needs the user there, and once only', () => {
    const { link, told } = world();
    link.comeOnline();
    link.emit('message', frameOf(1, 'text', { content: 'by the way' }));
    expect(told).toEqual(['forget row']);
  });

  it('is taken back when that very thing is settled, though another one still waits', () => {
    const { link, told } = world();
    link.comeOnline();
    ask(link, 1);
    ask(link, 2);
    told.splice(0);
    link.emit('settled', { call_id: 'c2', status: 'completed', by: { kind: 'app', id: 'dv_other' } });
    expect(told.splice(0)).toEqual(['forget row']);
    link.emit('message', frameOf(3, 'text', { content: 'by the way' }));
    expect(told).toEqual([]);
  });

  it('goes with the conversation, with its agent, and with everything when the user signs out', () => {
    const { row, list, told } = world();
    const first = { ...row, key: 'relay|ag_1|row' };
    const other = { ...row, key: 'relay|ag_2|cv' };
    list({ rows: [first, other] });
    told.splice(0);
    list({ rows: [other] });
    list({ rows: [first] });
    list({ rows: [], pairings: [{ key: 'relay|ag_2' }] });
    list({ rows: [other] });
    list({ rows: [], pairings: [] });
    expect(told.splice(0)).toEqual([
      'keep only relay|ag_1|unlisted, relay|ag_2|cv',
      'keep only relay|ag_1|row, relay|ag_1|unlisted',
      'keep only relay|ag_2|cv',
      'keep only ',
    ]);
  });
});

it('the badge counts along', () => {
  const { link, badges } = world();
  link.comeOnline();
  ask(link, 1);
  ask(link, 2);
  link.emit('settled', { call_id: 'c1', status: 'expired', by: { kind: 'relay' } });
  link.emit('settled', { call_id: 'c2', status: 'expired', by: { kind: 'relay' } });
  expect(badges).toEqual([1, 2, 1, 0]);
});
