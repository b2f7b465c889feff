/** The demo agent's tour on a phone, in both languages, with the relay restarted in the middle. */
import { expect, it } from 'vitest';
import { TOUR_WORDS } from '../../client/agent/demo-tour-words.ts';
import { PHONE } from './browser.ts';
import { ConsentDialog } from './capabilities-stage.ts';
import { DemoAgent } from './demo-agent.ts';
import { useWorld } from './world.ts';

const world = useWorld();

/** What the user answers to a capability, never no twice in a row; `later` closes the question without an answer. */
const ANSWERS = {
  'app.open_url': 'decline',
  'clipboard.write': 'allow',
  'artifact.save': 'decline',
  'device.pick_file': 'choose',
  'device.location': 'allow',
  'device.take_photo': 'later',
} as const;

it.each([
  { locale: 'en-US', asked: 'tour', words: TOUR_WORDS.en, colorScheme: 'light' as const },
  { locale: 'zh-CN', asked: '导览', words: TOUR_WORDS.zh, colorScheme: 'dark' as const },
])('the tour shows everything, whatever is answered: $asked, $colorScheme', { timeout: 180_000 }, async ({ locale, asked, words, colorScheme }) => {
  const demo = await DemoAgent.start(world.relay.origin);
  world.after(() => demo.stop());
  const geolocation = { latitude: 53.55, longitude: 9.99 };
  const phone = await world.device({ ...PHONE, locale, colorScheme, geolocation, permissions: ['geolocation', 'clipboard-read', 'clipboard-write'] });
  const { page } = phone;
  await phone.pairByLink((await demo.pairing()).url);
  const consent = new ConsentDialog(phone);
  await phone.say(asked);

  await page.getByRole('button', { name: words.choice.options[1]!, exact: true }).click();
  await phone.cards.getByText(words.confirm.question).waitFor();
  await world.relay.end('SIGKILL');
  await phone.line('offline').waitFor({ state: 'attached' });
  await phone.cards.locator('.button.primary').click();
  await world.relay.start();
  await phone.cards.getByText(words.input.question).waitFor({ timeout: 60_000 });
  await phone.cards.locator('.card-dismiss').click();
  await phone.sees('6 × 7');

  await page.locator('[data-board-card] button').waitFor();
  await page.locator('[data-surface-card]').first().waitFor();
  await page.locator('[data-surface-card]', { hasText: 'com.lineup.form' }).waitFor();
  for (const [capability, answer] of Object.entries(ANSWERS)) {
    const { reason } = words.capabilities[capability as keyof typeof ANSWERS];
    await consent.dialog.getByText(reason).waitFor();
    if (answer === 'allow') await consent.allow();
    else if (answer === 'decline') await consent.decline();
    else if (answer === 'later') await page.keyboard.press('Escape');
    else {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), consent.allow()]);
      await chooser.setFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('for the tour') });
    }
  }
  await phone.sees(words.notice.title);
  await phone.sees(words.canvas.closed(3));
  await phone.sees(words.end.replaceAll('*', '').slice(0, 12));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(words.clipboard);
  expect(phone.device.complaints(/ERR_CONNECTION|WebSocket/)).toEqual([]);
});
