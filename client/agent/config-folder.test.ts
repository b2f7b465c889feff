import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configFolder, isProfileName, profileFolder } from './config-folder.ts';

test.each<[NodeJS.Platform, NodeJS.ProcessEnv, string]>([
  ['linux', {}, join(homedir(), '.config', 'lineup')],
  ['linux', { XDG_CONFIG_HOME: '/etc/mine' }, '/etc/mine/lineup'],
  ['linux', { XDG_CONFIG_HOME: 'relative' }, join(homedir(), '.config', 'lineup')],
  ['darwin', { XDG_CONFIG_HOME: '/etc/mine' }, join(homedir(), 'Library', 'Application Support', 'lineup')],
  ['linux', { LINEUP_HOME: '/srv/lineup', XDG_CONFIG_HOME: '/etc/mine' }, '/srv/lineup'],
])('on %s with %j it is %s', (platform, env, folder) => {
  expect(configFolder(env, platform)).toBe(folder);
  expect(profileFolder('work', env, platform)).toBe(join(folder, 'work'));
});

test.each(['default', 'work-2', 'a.b_c'])('%j names a profile', (name) => expect(isProfileName(name)).toBe(true));
test.each(['', '.', '..', '../x', 'a/b', '-x', 'ä', 'a'.repeat(65)])('%j names none', (name) => expect(isProfileName(name)).toBe(false));
