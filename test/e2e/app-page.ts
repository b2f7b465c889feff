/** The web app as a journey drives it: by what a person sees and taps, in either language. */
import type { Locator, Page } from 'playwright-core';
import type { Device } from './browser.ts';

/** How long a journey waits for something to be seen, in ms. */
export const SEEN_WITHIN_MS = 20_000;

/** See the file's head. */
export class AppPage {
  readonly device: Device;
  readonly page: Page;

  constructor(device: Device) {
    this.device = device;
    this.page = device.page;
    this.page.setDefaultTimeout(SEEN_WITHIN_MS);
  }

  get field(): Locator {
    return this.page.locator('.composer-field');
  }

  get statusLine(): Locator {
    return this.page.locator('.status-line');
  }

  get entries(): Locator {
    return this.page.locator('[data-entry]');
  }

  get cards(): Locator {
    return this.page.locator('.timeline .card');
  }

  get tray(): Locator {
    return this.page.locator('.tray');
  }

  /** The state of the line under the top bar. */
  line(state: 'idle' | 'flowing' | 'offline' | 'need'): Locator {
    return this.page.locator(`[data-line="${state}"]`);
  }

  /** Opens a pairing link and agrees. */
  async pairByLink(url: string): Promise<void> {
    await this.page.goto(url);
    await this.agree();
  }

  /** Types a code or link on the welcome screen, and goes on to the question. */
  async typeCode(code: string): Promise<void> {
    await this.page.locator('.code-field').fill(code);
    await this.page.locator('.code-field').press('Enter');
  }

  /** Agrees to pair. */
  async agree(): Promise<void> {
    await this.page.locator('.invitation').waitFor();
    await this.page.locator('button.primary').click();
    await this.field.waitFor();
  }

  /** Writes a text and sends it. */
  async say(text: string): Promise<void> {
    await this.field.fill(text);
    await this.page.locator('.send-button:not(.stop)').click();
  }

  /** Waits until a text is on the page. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).last().waitFor();
  }

  /** The user's own notes, top to bottom. */
  notes(): Promise<string[]> {
    return this.page.locator('.note').allInnerTexts();
  }

  /** The agent's documents, top to bottom. */
  documents(): Promise<string[]> {
    return this.page.locator('.document').allInnerTexts();
  }

  /** See {@link Device.violations}. */
  violations(): Promise<string[]> {
    return this.device.violations();
  }

  /** What stands under the last note. */
  mark(): Locator {
    return this.page.locator('.mark').last();
  }
}

/** Waits until something is true. */
export async function until(what: string | (() => string), check: () => Promise<boolean> | boolean, withinMs = SEEN_WITHIN_MS): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`did not happen in time: ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
