/** Where the command keeps what it must remember: one folder for each profile, in the platform's place for configuration. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** A profile's name: it becomes a folder's. */
const PROFILE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Whether a text can name a profile. */
export function isProfileName(text: string): boolean {
  return PROFILE.test(text);
}

/**
 * The folder of everything: `LINEUP_HOME`, or `~/Library/Application Support/lineup` on macOS, `%APPDATA%\lineup` on Windows, and
 * `$XDG_CONFIG_HOME/lineup` (`~/.config/lineup`) elsewhere.
 */
export function configFolder(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string {
  const { LINEUP_HOME = '', XDG_CONFIG_HOME = '', APPDATA = '' } = env;
  if (LINEUP_HOME !== '') return resolve(LINEUP_HOME);
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'lineup');
  if (platform === 'win32' && APPDATA !== '') return join(APPDATA, 'lineup');
  // The specification: a relative path is to be ignored.
  return join(XDG_CONFIG_HOME.startsWith('/') ? XDG_CONFIG_HOME : join(homedir(), '.config'), 'lineup');
}

/** The folder of one profile: its setup, its token, its unsent messages. */
export function profileFolder(profile: string, env?: NodeJS.ProcessEnv, platform?: NodeJS.Platform): string {
  return join(configFolder(env, platform), profile);
}
