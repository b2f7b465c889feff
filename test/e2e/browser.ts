/** Chromium, driven by playwright-core, and pages that remember every complaint of their console. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Where Chromium is on this machine; undefined when there is none. `CHROMIUM_PATH` comes first. */
export const CHROMIUM = CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));

export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true } satisfies BrowserContextOptions;
export const DESKTOP = { viewport: { width: 1280, height: 800 } } satisfies BrowserContextOptions;

/** @param more further arguments of Chromium's */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === undefined)
    throw new Error('No Chromium was found: install it (Debian: apt-get install chromium; Google Chrome will do too) or set CHROMIUM_PATH.');
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
}

/** One device: a browser context with a page in it. */
export class Device {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly #complaints: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.#complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.#complaints.push(String(error)));
  }

  static async open(browser: Browser, options: BrowserContextOptions = PHONE): Promise<Device> {
    const context = await browser.newContext({ locale: 'en-US', ...options });
    return new Device(context, await context.newPage());
  }

  /** Errors and warnings of the console since the last time it was asked, but for those that match. */
  complaints(expected?: RegExp): string[] {
    return this.#complaints.splice(0).filter((text) => !expected?.test(text));
  }

  /** What axe finds, one line each, once the page has come to rest. */
  async violations(): Promise<string[]> {
    await this.#rest();
    const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await this.page.evaluate(source);
    return this.page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: { run(): Promise<{ violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] }> };
      };
      const { violations } = await axe.run();
      return violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${help} ${html.slice(0, 160)} ${failureSummary ?? ''}`),
      );
    });
  }

  /** Waits until, for ten frames, nothing has moved or faded in or waited to be drawn: what was just opened may begin with any of the next ones. */
  async #rest(): Promise<void> {
    await this.page.evaluate(() => Object.assign(window, { framesAtRest: 0 }));
    await this.page.waitForFunction(
      () => {
        const page = window as unknown as { framesAtRest: number };
        const moving = document
          .getAnimations()
          .some((each) => each.playState !== 'finished' && each.effect?.getComputedTiming().iterations !== Infinity);
        // A sheet with a field waits, unseen, for a touch screen's keyboard; what cannot be seen is no dialog to axe.
        const unseen = [...document.querySelectorAll<HTMLElement>('.sheet-overlay')].some(({ style }) => style.opacity === '0');
        // What has just come up can be pressed, and is drawn as that, a moment later.
        const asleep = document.querySelector('[data-asleep]') !== null;
        page.framesAtRest = moving || unseen || asleep ? 0 : page.framesAtRest + 1;
        return page.framesAtRest >= 10;
      },
      undefined,
      { polling: 'raf' },
    );
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
