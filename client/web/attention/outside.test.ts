import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeBackOutside, tellOutside } from './outside.ts';
import type { Notice } from './notices.ts';

interface Shown {
  tag: string;
  body: string;
  data: unknown;
  close(): void;
}

/** What the system shows; a newer one takes the place of another with its tag. */
const shown = new Map<string, Shown>();
/** What stands in the way of the next one, such as a slow system. */
let slow: Promise<void> = Promise.resolve();

const worker = {
  active: {},
  async showNotification(_heading: string, { tag, body, data }: Pick<Shown, 'tag' | 'body' | 'data'>) {
    await slow;
    shown.set(tag, { tag, body, data, close: () => void shown.delete(tag) });
  },
  getNotifications: async () => [...shown.values()],
};

/** Another tab of the page is looked at, or none is. */
function world({ seen }: { seen: boolean }): void {
  vi.stubGlobal('Notification', { permission: 'granted' });
  const held = seen ? [{ name: 'lineup-seen' }] : [];
  vi.stubGlobal('navigator', { locks: { query: async () => ({ held }) }, serviceWorker: { getRegistration: async () => worker } });
}

const notice = (kind: Notice['kind'], conversation = 'cv_1'): Notice => ({ kind, conversation, place: null, agent: 'Hermes', title: kind, body: '' });
const tell = (of: Notice) => tellOutside(of, 'Hermes', fault);
const fault = vi.fn<(error: unknown) => void>();
const told = async () => {
  await vi.waitFor(() => expect(shown.size).toBeGreaterThan(0));
  return [...shown.values()].map(({ body }) => body);
};

beforeEach(() => shown.clear());
afterEach(() => {
  vi.unstubAllGlobals();
  expect(fault).not.toHaveBeenCalled();
});

it('an agent’s own words are told by the tab that was given them, whichever tab is looked at', async () => {
  world({ seen: true });
  expect(tell(notice('need'))).toBe(true);
  expect(tell(notice('said', 'cv_2'))).toBe(true);
  expect(await told()).toEqual(['said']);
});

it('what is taken back goes, also while it only just comes up, and nothing else does', async () => {
  world({ seen: false });
  let goOn = () => undefined as void;
  slow = new Promise((resolve) => (goOn = resolve));
  tell(notice('need'));
  tell(notice('need', 'cv_2'));
  takeBackOutside(({ kind, conversation }) => kind === 'need' && conversation === 'cv_1', fault);
  tell(notice('said', 'cv_3'));
  goOn();
  await vi.waitFor(() => expect([...shown.keys()]).toEqual(['cv_2', 'cv_3']));
});

it('a browser without notices has none to take back', () => {
  vi.stubGlobal('navigator', {});
  takeBackOutside(() => true, fault);
});
