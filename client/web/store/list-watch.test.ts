import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PageSignal } from '../../core/page.ts';
import { watchLists } from './list-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched({ connected, ended = false }: { connected: boolean; ended?: boolean }) {
  const asked: string[] = [];
  const page = { visible: true, tell: (() => undefined) as (signal: PageSignal) => void };
  const pairing = { key: 'agent', ended };
  const app = {
    view: {
      get: () => ({
        pairings: [pairing],
        rows: [
          { pairing, connected: true },
          { pairing, connected },
        ],
      }),
    },
    refresh: ({ key }: { key: string }) => Promise.resolve(void asked.push(key)),
  };
  const stop = watchLists(app as never, {
    visible: () => page.visible,
    watch: (listener) => {
      page.tell = listener;
      return () => (page.tell = () => undefined);
    },
  });
  return { asked, page, stop };
}

describe('the list of an agent with conversations that are not connected', () => {
  it('is asked for once a minute while somebody looks, and when they come back', () => {
    const { asked, page, stop } = watched({ connected: false });
    vi.advanceTimersByTime(180_000);
    expect(asked).toHaveLength(3);
    page.visible = false;
    page.tell('hidden');
    vi.advanceTimersByTime(180_000);
    expect(asked).toHaveLength(3);
    page.visible = true;
    page.tell('shown');
    expect(asked).toHaveLength(4);
    stop();
    vi.advanceTimersByTime(180_000);
    expect(asked).toHaveLength(4);
  });

  it('is not asked for when all of them are connected, or when the pairing has ended', () => {
    const { asked } = watched({ connected: true });
    const { asked: ofEnded } = watched({ connected: false, ended: true });
    vi.advanceTimersByTime(180_000);
    expect([...asked, ...ofEnded]).toEqual([]);
  });
});
