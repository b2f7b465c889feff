/**
 * `npm run bench:web`: what the web app costs a phone. Chromium with a CPU that is four times slower, against a relay that really runs.
 * Prints figures beside the budgets; asserts nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Connection } from '../client/core/connection.ts';
import { MemoryCursorStore } from '../client/core/cursor-store.ts';
import { RelayHttp } from '../client/core/http.ts';
import { MemoryOutboxStore } from '../client/core/outbox-store.ts';
import { startLocalRelay } from '../scripts/local-relay.ts';
import { Device, launchBrowser, PHONE } from '../test/e2e/browser.ts';
import { RELAY_VARIABLES } from './relay-room.ts';

const SLOWDOWN = 4;
const MESSAGES = 5_000;
const DELTAS = 2_000;
const STREAM_MS = 20_000;

/** What a page did while it was watched. Times in ms. */
interface Watched {
  /** Tasks that kept the page's thread busy for over 50 ms. Its CPU time: what else the machine does meanwhile is not the page's fault. */
  longTasks: number[];
  /** Time between one frame and the next, by the clock. */
  frames: number[];
}

/** An event of Chromium's tracing, as far as it is read here. Durations in µs. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  tdur?: number;
  args: { name?: string };
}

const folder = await mkdtemp(join(tmpdir(), 'lineup-bench-web-'));
const server = await startLocalRelay({ port: 0, persist: folder, variables: RELAY_VARIABLES });
const browser = await launchBrowser();
try {
  const enrolled = await RelayHttp.enrol(server.origin, RELAY_VARIABLES.LINEUP_OWNER_KEY, { name: 'Bench' });
  const http = new RelayHttp({ origin: server.origin, token: () => enrolled.token });
  const agent = new Connection({
    relay: server.origin,
    conversationId: enrolled.conversation_id,
    self: { kind: 'agent', id: enrolled.agent_id },
    credentials: { load: () => enrolled.token, save: () => undefined },
    hello: { name: 'Bench', agent: 'bench' },
    outbox: new MemoryOutboxStore(),
    cursor: new MemoryCursorStore(),
    page: null,
  });
  const online = new Promise<void>((resolve) => agent.on('synced', () => resolve()));
  agent.start();
  await online;

  const device = await Device.open(browser, PHONE);
  const { page } = device;
  const session = await device.context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  console.log(`CPU ${SLOWDOWN} x slower, 390 x 844, relay on this machine.`);

  say('first load, JS, gzip', `${kilobytes(await scriptBytes(page, server.origin))} kB`, '<= 200 kB');
  say('first load, interactive', `${await interactive(page)} ms`, '<= 2000 ms');

  await page.goto((await http.createPairing()).url);
  await page.locator('.invitation').waitFor();
  await page.locator('button.primary').click();
  await page.locator('.composer-field').waitFor();
  for (let i = 1; i <= MESSAGES; i++) await agent.send('text', { content: textOf(i) });
  await page.reload();
  await page.getByText(`Answer ${MESSAGES}`).last().waitFor();
  say('conversation, interactive', `${await interactive(page)} ms`, '<= 2000 ms');

  const scrolled = await watch(page, () => scrollBack(page));
  say(`${MESSAGES} messages, long tasks while reading back`, summary(scrolled.longTasks), 'none over 100 ms');
  say('  frames', summary(scrolled.frames), '');
  const again = await watch(page, () => fling(page));
  say('  and to and fro when all are there', summary(again.longTasks), 'none over 100 ms');
  say('  frames', summary(again.frames), '');

  await page.locator('.new-pill').click();
  const streamed = await watch(page, () => stream(agent));
  say(`${DELTAS} deltas in ${STREAM_MS / 1_000} s, long tasks`, summary(streamed.longTasks), '');
  say('  frames', summary(streamed.frames), 'no burst over 100 ms');
  await agent.close();
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Scripts that the page asks for before it shows anything, as they travel. */
async function scriptBytes(page: Page, origin: string): Promise<number> {
  await page.goto(origin);
  await page.locator('.code-field').waitFor();
  const urls = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLScriptElement | HTMLLinkElement>('script[src], link[rel=modulepreload]')].map((element) =>
      element instanceof HTMLScriptElement ? element.src : element.href,
    ),
  );
  const { gzipSync } = await import('node:zlib');
  const sizes = await Promise.all([...new Set(urls)].map(async (url) => gzipSync(new Uint8Array(await (await fetch(url)).arrayBuffer())).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** From the beginning of the navigation to the end of the last long task before the page could be used, in ms. */
async function interactive(page: Page): Promise<number> {
  await page.addInitScript(() => {
    const ends: number[] = [];
    Object.assign(window, { ends });
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) ends.push(startTime + duration);
    }).observe({ type: 'longtask', buffered: true });
  });
  await page.reload();
  await page.locator('.code-field, .composer-field').first().waitFor();
  const used = await page.evaluate(() => performance.now());
  await page.waitForTimeout(1_500);
  const ends = await page.evaluate(() => (window as unknown as { ends: number[] }).ends);
  return Math.round(Math.max(used, ...ends.filter((end) => end < used + 1_000)));
}

async function watch(page: Page, during: () => Promise<void>): Promise<Watched> {
  await page.evaluate(() => {
    const frames: number[] = [];
    let last = performance.now();
    let running = true;
    const frame = (now: number) => {
      frames.push(now - last);
      last = now;
      if (running) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    const end = () => {
      running = false;
      return frames;
    };
    Object.assign(window, { endWatch: end });
  });
  const longTasks = await traced(page, during);
  return { longTasks, frames: await page.evaluate(() => (window as unknown as { endWatch(): number[] }).endWatch()) };
}

/** Long tasks of the page's main thread while something goes on. */
async function traced(page: Page, during: () => Promise<void>): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => void events.push(...(value as TraceEvent[]));
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline'], excludedCategories: ['*'] },
  });
  await during();
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const main = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return events
    .filter(({ name, pid, tid }) => name === 'RunTask' && main.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1_000)
    .filter((ms) => ms > 50);
}

/** As a thumb does: steps of two thirds of the view, until the first message is there. */
async function scrollBack(page: Page): Promise<void> {
  await page.locator('.timeline-scroll').evaluate(async (view) => {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
    for (let still = 0; still < 40; await pause()) {
      view.scrollBy(0, -560);
      still = view.scrollTop === 0 ? still + 1 : 0;
    }
  });
}

async function fling(page: Page): Promise<void> {
  await page.locator('.timeline-scroll').evaluate(async (view) => {
    for (const step of [120, -120]) {
      for (let i = 0; i < 240; i++) {
        view.scrollBy(0, step);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }
  });
}

async function stream(agent: Connection): Promise<void> {
  const from = performance.now();
  let content = '';
  for (let i = 0; i < DELTAS; i++) {
    const delta = i % 60 === 59 ? '\n\n' : `word ${i} `;
    agent.sendNow('text.delta', { message_id: 'streamed', offset: content.length, delta });
    content += delta;
    const ahead = ((i + 1) * STREAM_MS) / DELTAS - (performance.now() - from);
    if (ahead > 0) await new Promise((resolve) => setTimeout(resolve, ahead));
  }
  await agent.send('text', { content }, { id: 'streamed' });
}

function textOf(i: number): string {
  const code = i % 10 === 0 ? '\n\n```ts\nconst answer = await agent.ask("why");\n```' : '';
  return `Answer ${i}\n\n- one **point** of it\n- and \`another\`, with a [link](https://example.com/${i})${code}`;
}

function summary(values: readonly number[]): string {
  if (values.length === 0) return 'none';
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return `${sorted.length}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms, over 100 ms ${sorted.filter((value) => value > 100).length}`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}

function say(what: string, figure: string, budget: string): void {
  console.log(`${what.padEnd(48)} ${figure.padEnd(64)} ${budget}`);
}
