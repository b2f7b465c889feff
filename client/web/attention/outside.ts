/** Notices of the system, for when nobody looks at the page: only where the user has allowed them. */
import type { Notice } from './notices.ts';
import { capped, plainVisible } from '../parts/visible-text.ts';
import { conversationHref } from '../screens/route.ts';
import { isSeenAnywhere } from './seen.ts';

/** Longer words are cut, in UTF-16 units. */
const MOST_WORDS = 200;

/** What a notice of the system keeps for whoever meets it later. */
interface Told {
  /** Where a tap leads. */
  href: string;
  kind: Notice['kind'];
}

let turn: Promise<void> = Promise.resolve();

/** What the browser says of them; `none` where it has no such thing. `default`: the user can still be asked. */
export function outsideState(): NotificationPermission | 'none' {
  return typeof Notification === 'undefined' ? 'none' : Notification.permission;
}

/** Asks the user, by the browser's own question. Needs a tap. */
export async function allowOutside(): Promise<NotificationPermission> {
  return await Notification.requestPermission();
}

/**
 * Shows a notice of the system. False where they are not allowed. A conversation has one at a time: the newest takes the place of the one
 * before it.
 * @param heading who wants something, in our words
 */
export function tellOutside(notice: Notice, heading: string, fault: (error: unknown) => void): boolean {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return false;
  const body = [notice.title, notice.body].filter(Boolean).join('\n');
  const options = {
    body: capped(plainVisible(body), MOST_WORDS),
    tag: notice.conversation,
    icon: '/icon-192.png',
    data: { href: conversationHref(notice.conversation), kind: notice.kind } satisfies Told,
  };
  inTurn(() => show(heading, options), fault);
  return true;
}

/** Takes notices of the system away that have no reason any more, also those of earlier pages. */
export function takeBackOutside(which: (notice: Pick<Notice, 'kind' | 'conversation'>) => boolean, fault: (error: unknown) => void): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  inTurn(async () => {
    const worker = await navigator.serviceWorker?.getRegistration();
    const shown = (await worker?.getNotifications()) ?? [];
    for (const each of shown) if (which({ kind: (each.data as Told).kind, conversation: each.tag })) each.close();
  }, fault);
}

/** A tap on such a notice leads to its conversation, whether a worker showed it or the page. */
export function followOutside(): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'object' && data !== null && 'href' in data && typeof data.href === 'string') location.hash = data.href;
  });
}

/** One after the other: what is taken back has come up by then. */
function inTurn(work: () => Promise<void>, fault: (error: unknown) => void): void {
  turn = turn.then(work).catch(fault);
}

async function show(heading: string, options: NotificationOptions & { data: Told }): Promise<void> {
  // The tab that is looked at learns by itself what needs the user, and tells it there. An agent's own words only this one has.
  if (options.data.kind === 'need' && (await isSeenAnywhere())) return;
  // On phones only a service worker may show one.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker?.active) return worker.showNotification(heading, options);
  const shown = new Notification(heading, options);
  shown.addEventListener('click', () => {
    window.focus();
    location.hash = options.data.href;
    shown.close();
  });
}
