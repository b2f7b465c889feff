/** `lineup devices`: the phones and browsers that are paired with the agent. */
import { hasIdShape } from '../../../src/protocol/ids.ts';
import type { AddCommand } from '../command-line.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { typed } from '../typed-command.ts';

export const addDevices: AddCommand = (program, line) => {
  const devices = program
    .command('devices')
    .summary('paired phones and browsers; revoke one')
    .description('Lists what is paired with the agent.')
    .addHelpText('after', '\nExamples:\n  $ lineup devices\n  $ lineup devices revoke dv_…')
    .action(async () => {
      const { terminal } = line;
      const list = await line.http(await line.setup()).devices();
      if (list.length === 0) return terminal.result({ devices: [] }, `No device is paired yet: ${typed('pair', line.named)}`);
      const rows = list.map(({ device_id, name, platform, online, last_seen, paired_at }) => [
        device_id,
        name,
        platform,
        online ? 'online' : (last_seen ?? 'never seen'),
        paired_at,
      ]);
      terminal.result({ devices: list }, terminal.table(['ID', 'NAME', 'PLATFORM', 'LAST SEEN', 'PAIRED'], rows));
    });

  devices
    .command('revoke')
    .description('Cuts a device off at once. It must be paired again to come back.')
    .argument('<device>', 'its id, dv_…')
    .addHelpText('after', '\nExample:\n  $ lineup devices revoke dv_…')
    .action(async (device: string) => {
      if (!hasIdShape('dv', device)) throw new CommandError(EXIT.usage, 'the device must be an id, dv_… ("lineup devices" lists them)');
      await line.http(await line.setup()).unpair(device);
      line.terminal.result({ revoked: device }, `${line.terminal.paint('green', '✓')} ${device} is revoked`);
    });
};
