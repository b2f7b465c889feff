/** Notices of the system, for when nobody looks at the page: only where the user has allowed them. */
import type { Notice } from './notices.ts';
import { capped, plainVisible } from '../parts/visible-text.ts';
import { conversationHref } from '../screens/route.ts';
import { isSeenAnywhere } from './seen.ts';

/** Longer words are cut, in UTF-16 units. */
const MOST_WORDS = 200;

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
  const options: NotificationOptions = {
    body: capped(plainVisible(body), MOST_WORDS),
    tag: notice.conversation,
    icon: '/icon-192.png',
    data: { href: conversationHref(notice.conversation) },
  };
  show(heading, options).catch(fault);
  return true;
}

/** A tap on such a notice leads to its conversation, whether a worker showed it or the page. */
export function followOutside(): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'object' && data !== null && 'href' in data && typeof data.href === 'string') location.hash = data.href;
  });
}

async function show(heading: string, options: NotificationOptions): Promise<void> {
  // The tab that is looked at tells it there.
  if (await isSeenAnywhere()) return;
  // On phones only a service worker may show one.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker?.active) return worker.showNotification(heading, options);
  const shown = new Notification(heading, options);
  shown.addEventListener('click', () => {
    window.focus();
    location.hash = (options.data as { href: string }).href;
    shown.close();
  });
}
