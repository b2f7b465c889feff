/** `lineup acp-connect`: the agents behind servers of AstrBot's ACP, each as a conversation. */
import { join } from 'node:path';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { LineUpAgent } from '../lineup-agent.ts';
import { agentLog, runAgent } from '../run-agent.ts';
import { readServerAddress, type ServerAddress } from '../astrbot/address.ts';

const EXAMPLES = `
Examples:
  $ lineup acp-connect tcp://127.0.0.1:9001
  $ lineup acp-connect tcp://127.0.0.1:9001 unix:///var/run/acp/code-reviewer.sock`;

export const addAcpConnect: AddCommand = (cli, line) => {
  cli
    .command('acp-connect')
    .summary("agents behind servers of AstrBot's ACP")
    .description(
      "Connects agents behind servers of AstrBot's ACP with your phone until Ctrl-C. With several agents, each has a conversation of its own, and in the first one a message begins with @name or #capability.",
    )
    .argument('<address...>', 'tcp://host:port or unix:///path')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[]) => {
      const addresses = words.map((word) => {
        const address = readServerAddress(word);
        if (!address) throw new CommandError(EXIT.usage, `"${word}" is no address: tcp://host:port or unix:///path`);
        return address;
      });
      await connect(line, addresses);
    });
};

async function connect(line: CommandLine, addresses: readonly ServerAddress[]): Promise<void> {
  const { relay, token, state, agentId, name, conversationId } = await line.setup();
  const { ClientRole } = await import('../astrbot/client-role.ts');
  const home = await ClientRole.open({ addresses, folder: join(state, agentId), note: (text) => line.terminal.note(text) });
  const agent = new LineUpAgent({
    relay,
    token,
    state,
    name,
    log: agentLog(line),
    connect: home.lines.connect,
    ...(conversationId !== undefined && { conversationId }),
  });
  home.serve(agent);
  const started = () => {
    line.terminal.result({ event: 'started', agentId: agent.id }, `lineup: the agent is ${agent.id}`);
    home.start();
  };
  await runAgent(agent, {
    started,
    stopping: async () => home.close(),
  });
}
