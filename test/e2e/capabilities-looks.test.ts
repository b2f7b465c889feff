import { describe, expect, it } from 'vitest';
import type { CapabilityName } from '../../src/protocol/capabilities.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { AppPage } from './app-page.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { askFor, ConsentDialog } from './capabilities-stage.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

const WORDS = {
  'en-US': { settings: 'Settings', center: 'Apps and permissions', wants: 'Hermes wants' },
  'zh-CN': { settings: '设置', center: '应用与权限', wants: 'Hermes 想' },
} as const;

const VARIANTS = [
  { locale: 'en-US', colorScheme: 'light', size: PHONE, name: 'English, light, phone' },
  { locale: 'zh-CN', colorScheme: 'dark', size: PHONE, name: 'Chinese, dark, phone' },
  { locale: 'zh-CN', colorScheme: 'light', size: DESKTOP, name: 'Chinese, light, desktop' },
  { locale: 'en-US', colorScheme: 'dark', size: DESKTOP, name: 'English, dark, desktop' },
] as const;

const ASKED: [CapabilityName, JsonObject][] = [
  ['app.open_url', { url: `http://login.xn--80ak6aa92e.com/${'path/'.repeat(40)}` }],
  ['clipboard.write', { text: 'word \u202E '.repeat(400) }],
  ['artifact.save', { name: `${'long'.repeat(25)}.md`, content: '# Title\n\ntext' }],
  ['device.pick_file', { accept: ['image/*'] }],
  ['device.location', { high_accuracy: true }],
  ['device.take_photo', {}],
];

/** Whether anything is wider than the window. */
const overflows = ({ page }: AppPage) =>
  page.evaluate(() => [...document.querySelectorAll('dialog *')].some((each) => each.getBoundingClientRect().right > innerWidth + 1));

describe.each(VARIANTS)('what the host asks and offers is accessible and fits: $name', ({ locale, colorScheme, size }) => {
  const words = WORDS[locale];

  it('from each question to the app center', async () => {
    const agent = await ScriptedAgent.start(world.relay.origin);
    world.after(() => agent.close());
    const app = await world.device({ ...size, locale, colorScheme });
    await app.pairByLink((await agent.pairing()).url);
    await agent.hear(({ type }) => type === 'lineup.v1.client.inventory', 'the inventory');
    const consent = new ConsentDialog(app);
    for (const [capability, args] of ASKED) {
      const reason = 'Because I say so. '.repeat(40);
      await askFor(agent, capability, args, { reason });
      await consent.awake();
      expect(await consent.title.innerText()).toContain(words.wants);
      expect(await consent.title.innerText()).not.toContain('Because');
      expect((await consent.dialog.locator('blockquote').innerText()).length).toBeLessThanOrEqual(281);
      expect(await app.violations()).toEqual([]);
      expect(await overflows(app)).toBe(false);
      const [no, yes] = [await consent.declineButton.boundingBox(), await consent.allowButton.boundingBox()];
      expect(yes?.width).toBeCloseTo(no?.width ?? 0, 0);
      expect(yes?.height).toBeGreaterThanOrEqual(44);
      await app.page.keyboard.press('Escape');
      await consent.gone();
      await app.page.evaluate(() => localStorage.removeItem('lineup.capabilities.cool-down'));
    }
    await askFor(agent, 'app.notify', { title: 'Done', body: 'All of it' });
    await app.page.locator('.notice').waitFor();
    expect(await app.violations()).toEqual([]);
    await app.page.evaluate(() => localStorage.setItem('lineup.app.com.lineup.form', JSON.stringify({ a: { values: {} } })));
    await app.page.reload();
    await app.page.getByRole('button', { name: words.settings }).click();
    await app.page.getByRole('button', { name: words.center }).click();
    await app.page.locator('[data-app="com.lineup.form"] input').waitFor();
    await app.page.locator('[data-app="com.lineup.form"] input').click();
    await app.page.locator('.center-ask').waitFor();
    expect(await app.violations()).toEqual([]);
    expect(app.device.complaints()).toEqual([]);
  });
});
