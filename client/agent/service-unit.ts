/** The file that makes a system start the command by itself: a systemd user unit on Linux, a launch agent on macOS. Pure text. */

/** What is to be started. */
export interface Service {
  /** The profile that it is for. */
  profile: string;
  /** The program and its arguments, the program with its full path. */
  command: readonly string[];
  cwd: string;
  /** Variables that the agent needs, such as PATH; never a secret. */
  env: Readonly<Record<string, string>>;
  /** Where a launch agent's output goes; systemd has its journal. */
  log: string;
}

/** Exit codes that starting again would not change: usage, token, another process, version. */
const FINAL_CODES = '2 3 4 5';
const RESTART_AFTER_S = 5;

/** A unit for `systemctl --user`. */
export function systemdUnit({ profile, command, cwd, env }: Service): string {
  const variables = Object.entries(env).map(([name, value]) => `Environment=${quoteUnit(`${name}=${value}`)}`);
  return `[Unit]
Description=LineUp agent (${profile})
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map((word) => quoteUnit(word).replaceAll('$', '$$$$')).join(' ')}
WorkingDirectory=${cwd.replaceAll('%', '%%')}
${variables.join('\n')}
Restart=always
RestartSec=${RESTART_AFTER_S}
RestartPreventExitStatus=${FINAL_CODES}
UMask=0077

[Install]
WantedBy=default.target
`;
}

/** A property list for `launchctl`. */
export function launchAgent(service: Service): string {
  const { command, cwd, env, log } = service;
  const text = (value: string) => `<string>${escapeXml(value)}</string>`;
  const variables = Object.entries(env).map(([name, value]) => `    <key>${escapeXml(name)}</key>${text(value)}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${text(launchLabel(service.profile))}
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    ${text(word)}`).join('\n')}
  </array>
  <key>WorkingDirectory</key>${text(cwd)}
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>${RESTART_AFTER_S * 2}</integer>
  <key>StandardOutPath</key>${text(log)}
  <key>StandardErrorPath</key>${text(log)}
</dict>
</plist>
`;
}

/** The name that launchd knows it by. */
export function launchLabel(profile: string): string {
  return `relay.lineup.${profile}`;
}

function quoteUnit(word: string): string {
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('\n', '\\n')}"`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
