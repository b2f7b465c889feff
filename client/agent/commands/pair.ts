/** `lineup pair`: pairs a phone with the agent. */
import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import { renderUnicodeCompact } from 'uqr';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { oneLine } from '../terminal.ts';
import { persist } from '../persist.ts';

const LOOK_EVERY_MS = 2_000;
/** How long the relay may be away while this waits for the phone, in ms. */
const PATIENCE_MS = 60_000;

export const addPair: AddCommand = (program, line) => {
  program
    .command('pair')
    .summary('pair a phone: shows a QR code and waits')
    .description('Makes a code that pairs one phone or browser with the agent, shows it, and waits until it is used.')
    .option('--ttl <seconds>', 'how long the code is good, 30 to 3600', readTtl, 600)
    .option('--no-wait', 'show the code and end')
    .addHelpText('after', '\nExamples:\n  $ lineup pair\n  $ lineup pair --no-wait --json | jq -r .url')
    .action((options: { ttl: number; wait: boolean }) => pair(line, options));
};

async function pair(line: CommandLine, { ttl, wait }: { ttl: number; wait: boolean }): Promise<void> {
  const { terminal } = line;
  const http = line.http(await line.setup());
  const { pairing_id, code, url, expires_at } = await http.createPairing({ ttl_s: ttl });
  const readable = `${code.slice(0, 4)}-${code.slice(4)}`;
  terminal.result(
    { event: 'pairing', pairing_id, code, url, expires_at },
    `${renderUnicodeCompact(url, { border: 2 })}\n\nScan this with the phone, or open\n\n  ${terminal.paint('cyan', url)}\n\nor type the code ${terminal.paint('bold', readable)} into the app. It works once.`,
  );
  if (!wait) return;
  terminal.say(terminal.paint('dim', '\nWaiting for the phone. Ctrl-C ends the waiting; the code stays good.'));
  for (;;) {
    await delay(LOOK_EVERY_MS);
    const { state, device } = await persist(() => http.pairing(pairing_id), Date.now() + PATIENCE_MS);
    if (state === 'expired') throw new CommandError(EXIT.expired, 'nobody used the code in time: run "lineup pair" again');
    if (state === 'redeemed') {
      const who = device ? `${oneLine(device.name)} (${oneLine(device.platform)})` : 'a device';
      return terminal.result({ event: 'paired', device: device ?? null }, `${terminal.paint('green', '✓')} Paired with ${who}`);
    }
  }
}

function readTtl(text: string): number {
  const ttl = Number(text);
  if (!Number.isInteger(ttl) || ttl < 30 || ttl > 3600) throw new InvalidArgumentError('expected 30 to 3600 seconds');
  return ttl;
}
