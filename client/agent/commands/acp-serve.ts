/** `lineup acp-serve`: a server of AstrBot's ACP whose agents are the paired devices. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { LineUpAgent } from '../lineup-agent.ts';
import { agentLog, runAgent } from '../run-agent.ts';
import { addressText, isLocal, readServerAddress, type ServerAddress } from '../astrbot/address.ts';
import { VERSION } from '../version.ts';

const EXAMPLES = `
Examples:
  $ lineup acp-serve
  $ lineup acp-serve --listen unix:///run/user/1000/lineup.sock --listen tcp://127.0.0.1:9001

Whoever reaches an address can ask on your phone; see docs/acp.md.`;

interface Options {
  listen: string[];
  trustNetwork?: boolean;
}

export const addAcpServe: AddCommand = (cli, line) => {
  cli
    .command('acp-serve')
    .summary("a server of AstrBot's ACP: your phone's tools for AstrBot and others")
    .description(
      "Serves AstrBot's ACP (JSON-RPC over TCP and Unix sockets) until Ctrl-C. Its agents are your paired devices: callers ask questions on them, send messages, and hear what you write.",
    )
    .option('--listen <address...>', 'tcp://host:port or unix:///path, several times if need be', ['tcp://127.0.0.1:8765'])
    .option('--trust-network', 'listen on addresses that other machines reach: the protocol knows no password')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => {
      const addresses = options.listen.map((text) => readListenAddress(text, options.trustNetwork === true));
      await serve(line, addresses);
    });
};

function readListenAddress(text: string, isNetworkTrusted: boolean): ServerAddress {
  const address = readServerAddress(text);
  if (!address) throw new CommandError(EXIT.usage, `"${text}" is no address: tcp://host:port or unix:///path`);
  // The system would call it a lack of permission.
  if (address.kind === 'unix' && !existsSync(dirname(address.path)))
    throw new CommandError(EXIT.usage, `${text}: there is no folder ${dirname(address.path)}`);
  if (isNetworkTrusted || isLocal(address)) return address;
  throw new CommandError(EXIT.usage, `other machines reach ${text}, and the protocol knows no password: add --trust-network if that is meant`);
}

async function serve(line: CommandLine, addresses: readonly ServerAddress[]): Promise<void> {
  const setup = await line.setup();
  const { ServerRole } = await import('../astrbot/server-role.ts');
  const door = new ServerRole({
    name: setup.name,
    version: VERSION,
    ...(setup.conversationId !== undefined && { conversationId: setup.conversationId }),
  });
  for (const address of addresses) {
    const bound = addressText(await door.listen(address));
    line.terminal.result({ event: 'listening', address: bound }, `lineup: listening on ${bound}`);
  }
  const { relay, token, state, conversationId } = setup;
  const agent = new LineUpAgent({
    relay,
    token,
    state,
    name: setup.name,
    log: agentLog(line),
    connect: door.connect,
    ...(conversationId !== undefined && { conversationId }),
  });
  door.serve(agent);
  try {
    await runAgent(agent);
  } finally {
    await door.close();
  }
}
