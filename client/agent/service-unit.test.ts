import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('a word with a line end stays one word', () => {
  expect(systemdUnit({ ...service, command: ['/usr/bin/node', 'a\nRestart=no'] })).toContain('ExecStart="/usr/bin/node" "a\\nRestart=no"\n');
});

const ANALYZE = '/usr/bin/systemd-analyze';
test.runIf(existsSync(ANALYZE))('systemd has nothing to say about a unit with odd words and folders', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lineup-unit-'));
  const path = join(folder, 'lineup-work.service');
  writeFileSync(
    path,
    systemdUnit({ ...service, command: [process.execPath, 'a b', '', "'", '"', '%h', '$HOME', 'x\ny', ';'], cwd: `${folder}/100% "of" it` }),
  );
  // What it has to say it says on stderr, also where it ends well.
  const said = execFileSync('/bin/sh', ['-c', `"${ANALYZE}" verify --user --man=no "$0" 2>&1`, path], {
    env: { XDG_RUNTIME_DIR: folder },
    encoding: 'utf8',
  });
  expect(said).toBe('');
  rmSync(folder, { recursive: true });
});
