import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Notices } from './notices.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const notice = (title: string) => ({ agent: 'Hermes', title, body: '' });

it('shows one notice at a time, each for a while, and takes no more than a few', () => {
  const notices = new Notices((run) => run());
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
  const notices = new Notices((run) => run());
  notices.show(notice('1'));
  notices.show(notice('2'));
  const first = notices.view.get()?.id ?? 0;
  notices.close(first);
  notices.close(first);
  expect(notices.view.get()?.title).toBe('2');
});
