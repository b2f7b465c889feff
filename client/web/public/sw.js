/**
 * The page without a network: its own files are kept as they were last loaded, and nothing else is. Frames, files and answers of a
 * relay never pass through here. While there is a network the page itself is always the newest.
 */
const KEPT = 'lineup-shell-v1';
const PAGE = '/';
/** What belongs to the page itself: hashed files, icons, the manifest. */
const OWN = /^\/(assets\/[^/]+|[\w-]+\.(png|svg|webmanifest))$/;
/** More files than several versions of the page have; the oldest go first. */
const MOST_FILES = 200;

self.addEventListener('install', (event) => {
  void self.skipWaiting();
  event.waitUntil(keep([PAGE]));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim());
});

/** A page tells what it is made of: it was loaded before this was there. */
self.addEventListener('message', (event) => {
  const { keep: paths } = event.data ?? {};
  if (Array.isArray(paths)) event.waitUntil(keepOwn(paths.filter((path) => typeof path === 'string' && OWN.test(path))));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate' && url.pathname === PAGE) event.respondWith(fresh(request, PAGE));
  else if (url.pathname.startsWith('/assets/') && OWN.test(url.pathname)) event.respondWith(hashed(request));
  else if (OWN.test(url.pathname)) event.respondWith(fresh(request, request));
});

/** A tap on a notice brings its conversation up: in the page that is open, or in a new one. */
self.addEventListener('notificationclick', (event) => {
  const { href } = event.notification.data ?? {};
  event.notification.close();
  if (typeof href === 'string' && href.startsWith('#/')) event.waitUntil(bringUp(href));
});

async function bringUp(href) {
  const [page] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (!page) return void (await self.clients.openWindow(`${PAGE}${href}`));
  // A page that a worker speaks to is of its own origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  page.postMessage({ href });
  await page.focus();
}

/** The newest while there is a network, the kept one while there is none. */
async function fresh(request, key) {
  const cache = await caches.open(KEPT);
  try {
    const answer = await fetch(request);
    if (answer.status === 200) await cache.put(key, answer.clone());
    return answer;
  } catch (error) {
    const kept = await cache.match(key);
    if (kept) return kept;
    throw error;
  }
}

/** A hashed name never changes its content. */
async function hashed(request) {
  const cache = await caches.open(KEPT);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.status === 200) await cache.put(request, answer.clone());
  return answer;
}

async function keep(paths) {
  const cache = await caches.open(KEPT);
  const had = new Set((await cache.keys()).map(pathOf));
  const missing = paths.filter((path) => path === PAGE || !had.has(path));
  // One that is gone keeps the others from nothing.
  await Promise.allSettled(missing.map((path) => cache.add(path)));
}

/** What is not of the version that runs goes when there is too much; the running version's own files may well be the oldest. */
async function keepOwn(paths) {
  await keep(paths);
  const cache = await caches.open(KEPT);
  const known = await cache.keys();
  const own = new Set([PAGE, ...paths]);
  const spare = known.filter((file) => !own.has(pathOf(file))).slice(0, Math.max(0, known.length - MOST_FILES));
  await Promise.all(spare.map((file) => cache.delete(file)));
}

function pathOf({ url }) {
  return new URL(url).pathname;
}
