import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Notice } from './notices.ts';
import { Notices } from './notices.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const notice = (title: string, kind: Notice['kind'] = 'said', conversation = 'cv_1'): Notice => ({
  kind,
  conversation,
  place: null,
  agent: 'Hermes',
  title,
  body: '',
});

function all({ visible = true, allowed = false } = {}) {
  const page = { visible };
  const told: string[] = [];
  const notices = new Notices({
    visible: () => page.visible,
    outside: ({ title }) => allowed && told.push(title) > 0,
    takeBack: (which) => {
      for (const conversation of ['cv_1', 'cv_2']) {
        for (const kind of ['need', 'said'] as const) if (which({ kind, conversation })) told.push(`take back ${kind} of ${conversation}`);
      }
    },
    schedule: (run) => run(),
  });
  const show = (isVisible: boolean) => {
    page.visible = isVisible;
    notices.pageChanged();
  };
  return { notices, told, show };
}

it('shows one notice at a time, each for a while, and takes no more than a few', () => {
  const { notices } = all();
  const taken = ['1', '2', '3', '4', '5'].map((title) => notices.show(notice(title)));
  expect(taken).toEqual([true, true, true, true, false]);
  expect(notices.view.get()?.title).toBe('1');
  vi.advanceTimersByTime(8_000);
  expect(notices.view.get()?.title).toBe('2');
  notices.close(notices.view.get()?.id ?? 0);
  expect(notices.view.get()?.title).toBe('3');
  vi.advanceTimersByTime(16_000);
  expect(notices.view.get()).toBeNull();
});

it('closes the one that was meant', () => {
  const { notices } = all();
  notices.show(notice('1'));
  notices.show(notice('2'));
  const first = notices.view.get()?.id ?? 0;
  notices.close(first);
  notices.close(first);
  expect(notices.view.get()?.title).toBe('2');
});

it('keeps what nobody could see until somebody can, and counts its time from then', () => {
  const { notices, show } = all({ visible: false });
  notices.show(notice('missed'));
  vi.advanceTimersByTime(60_000);
  expect(notices.view.get()).toBeNull();
  show(true);
  expect(notices.view.get()).toMatchObject({ title: 'missed', missed: true });
  vi.advanceTimersByTime(8_000);
  expect(notices.view.get()).toBeNull();
});

it('tells outside of the page what nobody can see, where that is allowed, and not a second time inside', () => {
  const { notices, told, show } = all({ visible: false, allowed: true });
  expect(notices.show(notice('away'))).toBe(true);
  show(true);
  notices.show(notice('here'));
  expect(told).toEqual(['away']);
  expect(notices.view.get()?.title).toBe('here');
});

it('says of each conversation that needs the user the newest thing alone, and nothing once it does not', () => {
  const { notices, show } = all({ visible: false });
  notices.show(notice('first', 'need'));
  notices.show(notice('second', 'need'));
  notices.show(notice('of another', 'need', 'cv_2'));
  show(true);
  expect(notices.view.get()?.title).toBe('second');
  notices.forget('cv_1');
  expect(notices.view.get()?.title).toBe('of another');
  notices.forget('cv_2');
  expect(notices.view.get()).toBeNull();
});

it('takes back outside of the page what it takes back inside', () => {
  const { notices, told } = all();
  notices.show(notice('asked', 'need'));
  notices.show(notice('words'));
  notices.forget('cv_1');
  expect(told).toEqual(['take back need of cv_1']);
  expect(notices.view.get()?.title).toBe('words');
  told.splice(0);
  notices.keepOnly((conversation) => conversation === 'cv_2');
  expect(told).toEqual(['take back need of cv_1', 'take back said of cv_1']);
  expect(notices.view.get()).toBeNull();
});
