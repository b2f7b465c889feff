/** `lineup connect`: an agent on this machine that speaks the Agent Client Protocol, or AstrBot, with your phone. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { LineUpAgent } from '../lineup-agent.ts';
import { agentLog, runAgent } from '../run-agent.ts';
import { VERSION } from '../version.ts';
import { PRESETS, programOf, type Program } from '../acp/presets.ts';

const EXAMPLES = `
Agents by name: ${Object.keys(PRESETS).join(', ')}

Examples:
  $ lineup connect hermes
  $ lineup connect claude --cwd ~/projects/site
  $ lineup connect -- my-agent --acp
  $ ASTRBOT_API_KEY=abk_… lineup connect --astrbot http://localhost:6185`;

export const addConnect: AddCommand = (cli, line) => {
  cli
    .command('connect')
    .summary('your agent: anything that speaks the Agent Client Protocol')
    .description(
      'Starts an agent on this machine and connects it with your phone until Ctrl-C: an agent by its name, or any command that speaks the Agent Client Protocol over stdio. Each conversation is a session of its own. What the agent asks you (permissions, forms) is asked on the phone.',
    )
    .usage('[options] <agent | -- command…>')
    .argument('[command...]', 'an agent by name, or a command and its arguments')
    .option('--cwd <folder>', 'the folder that the agent works in', '.')
    .option('--astrbot <url>', 'an AstrBot that runs already, through its HTTP chat API; its key in ASTRBOT_API_KEY')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], { cwd, astrbot }: { cwd: string; astrbot?: string }, command: Command) => {
      if (astrbot !== undefined) return connectAstrBot(line, readUrl(astrbot));
      const program = programOf(words);
      if (!program) command.error(`which agent? one of ${Object.keys(PRESETS).join(', ')}, or -- and a command`);
      await connect(line, program, await readFolder(cwd));
    });
};

async function connect(line: CommandLine, program: Program, cwd: string): Promise<void> {
  const { relay, token, state, agentId, conversationId } = await line.setup();
  const [{ AcpBridge }, { ConversationLines }] = await Promise.all([import('../acp/acp-bridge.ts'), import('../acp/conversation-lines.ts')]);
  const lines = new ConversationLines();
  const agent = new LineUpAgent({
    relay,
    token,
    state,
    name: program.title,
    log: agentLog(line),
    connect: lines.connect,
    ...(conversationId !== undefined && { conversationId }),
  });
  const bridge = await AcpBridge.open({
    ...program,
    cwd,
    version: VERSION,
    folder: join(state, agentId),
    lines,
    note: (text) => line.terminal.note(text),
  });
  bridge.serve(agent);
  let unusable: string | undefined;
  const watch = bridge.unusable.then((error) => {
    unusable = error.message;
    return agent.close();
  });
  const started = () => {
    line.terminal.result({ event: 'started', agentId: agent.id }, `lineup: ${program.title} is ${agent.id}`);
    bridge.start();
  };
  await runAgent(agent, { started, stopping: () => bridge.close() });
  if (unusable === undefined) return;
  await watch;
  throw new CommandError(EXIT.program, unusable);
}

async function readFolder(text: string): Promise<string> {
  const folder = resolve(text);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new CommandError(EXIT.usage, `--cwd must be a folder: there is none at ${folder}`);
  return folder;
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).origin;
  throw new CommandError(EXIT.usage, "--astrbot must be AstrBot's address, such as http://localhost:6185");
}

async function connectAstrBot(line: CommandLine, url: string): Promise<void> {
  const { ASTRBOT_API_KEY: key = '' } = line.env;
  if (key === '') throw new CommandError(EXIT.usage, "ASTRBOT_API_KEY must be a key of AstrBot's API, abk_…");
  const { relay, token, state, agentId, conversationId } = await line.setup();
  const { ChatBridge } = await import('../astrbot/chat-bridge.ts');
  const bridge = await ChatBridge.open(join(state, agentId), { url, key, username: 'lineup' }, (text) => line.terminal.note(text));
  const agent = new LineUpAgent({
    relay,
    token,
    state,
    name: 'AstrBot',
    log: agentLog(line),
    connect: bridge.lines.connect,
    ...(conversationId !== undefined && { conversationId }),
  });
  bridge.serve(agent);
  const started = () => line.terminal.result({ event: 'started', agentId: agent.id }, `lineup: AstrBot is ${agent.id}`);
  await runAgent(agent, { started });
}
