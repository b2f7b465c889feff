/** The agents that `lineup connect` knows by name: how each is started so that it speaks the Agent Client Protocol over stdio. */

/** An agent that can be started by its name. */
export interface Preset {
  /** How devices show it. */
  title: string;
  command: readonly [string, ...string[]];
  /** What to do when its program is not there, as one sentence. */
  install: string;
}

/** Presets by name. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  hermes: { title: 'Hermes', command: ['hermes', 'acp'], install: 'Install it with: pip install "hermes-agent[acp]"' },
  claude: { title: 'Claude Code', command: ['npx', '-y', '@agentclientprotocol/claude-agent-acp'], install: 'It needs Node.js with npx' },
  codex: { title: 'Codex', command: ['npx', '-y', '@agentclientprotocol/codex-acp'], install: 'It needs Node.js with npx' },
  gemini: { title: 'Gemini', command: ['gemini', '--acp'], install: 'Install it with: npm install -g @google/gemini-cli' },
  qwen: { title: 'Qwen Code', command: ['qwen', '--acp'], install: 'Install it with: npm install -g @qwen-code/qwen-code' },
  opencode: { title: 'OpenCode', command: ['npx', '-y', 'opencode-ai', 'acp'], install: 'It needs Node.js with npx' },
  goose: { title: 'Goose', command: ['goose', 'acp'], install: 'See https://github.com/aaif-goose/goose' },
  openclaw: {
    title: 'OpenClaw',
    command: ['openclaw', 'acp'],
    install: 'Install it with: npm install -g openclaw (it needs Node.js 24.16 or newer)',
  },
  copilot: { title: 'Copilot', command: ['copilot', '--acp', '--stdio'], install: 'Install it with: npm install -g @github/copilot' },
  cursor: { title: 'Cursor', command: ['cursor-agent', 'acp'], install: 'See https://cursor.com/cli' },
};

/** What to start, and how to call it. */
export interface Program {
  title: string;
  command: readonly [string, ...string[]];
  install?: string;
}

/**
 * Reads the words after `lineup connect`: the name of a preset and further arguments for it, or a command. Null: there are none.
 * `hermes acp`, spelled out, is the command and not the preset with one more argument.
 */
export function programOf(words: readonly string[]): Program | null {
  const [first, ...rest] = words;
  if (first === undefined) return null;
  const preset = Object.hasOwn(PRESETS, first) ? PRESETS[first] : undefined;
  const isSpelledOut = preset?.command[0] === first && rest.length > 0 && preset.command.slice(1).every((argument) => rest.includes(argument));
  if (isSpelledOut) return { ...preset, command: [first, ...rest] };
  if (!preset) return { title: first.replace(/^.*[\\/]/, ''), command: [first, ...rest] };
  return { ...preset, command: [...preset.command, ...rest] };
}
