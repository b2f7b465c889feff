import { expect, test } from 'vitest';
import { launchAgent, systemdUnit, type Service } from './service-unit.ts';

const service: Service = {
  profile: 'work',
  command: ['/usr/bin/node', '/opt/lineup/cli.js', 'connect', '--', 'my agent', '--say', '"100%" \\ $HOME <&>'],
  cwd: '/home/me/my work',
  env: { PATH: '/usr/bin:/opt/a b' },
  log: '/tmp/lineup.log',
};

test('a systemd unit says every word as it is', () => {
  const unit = systemdUnit(service);
  expect(unit).toContain(
    'ExecStart="/usr/bin/node" "/opt/lineup/cli.js" "connect" "--" "my agent" "--say" "\\"100%%\\" \\\\ $$HOME <&>"\nWorkingDirectory=/home/me/my work\nEnvironment="PATH=/usr/bin:/opt/a b"',
  );
  for (const line of ['Restart=always', 'RestartPreventExitStatus=2 3 4 5', 'WantedBy=default.target']) expect(unit).toContain(line);
});

test('a launch agent says every word as it is', () => {
  const plist = launchAgent(service);
  expect(plist).toContain('<key>Label</key><string>relay.lineup.work</string>');
  expect(plist).toContain('<string>"100%" \\ $HOME &lt;&amp;&gt;</string>');
  expect(plist).toContain('<key>PATH</key><string>/usr/bin:/opt/a b</string>');
  expect(plist.match(/<dict>/g)).toHaveLength(plist.match(/<\/dict>/g)!.length);
});
