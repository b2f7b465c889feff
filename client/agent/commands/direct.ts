/** `lineup direct`: direct mode (§10): this machine is the relay, for the network that it is in. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { renderUnicodeCompact } from 'uqr';
import type { AddCommand, CommonOptions } from '../command-line.ts';
import { profileFolder } from '../config-folder.ts';
import type { DirectServer } from '../direct/direct-server.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

/** The port of seed 001. */
const PORT = 9527;
/** The profile that the agent of this machine is kept in, unless another is named. */
const PROFILE = 'direct';
/** Codes of a start are good for this long, in seconds: the longest that there is. */
const CODE_TTL_S = 3_600;

interface Options {
  port: number;
  host: string;
  name: string;
}

export const addDirect: AddCommand = (program, line) => {
  program
    .command('direct')
    .summary('direct mode: this machine serves the app and the relay to its own network')
    .description(
      `Serves the web app and everything a relay serves on this machine, until Ctrl-C. Phones of the same network reach it without any cloud;
agents of this machine reach it as the profile "${PROFILE}". What is said stays on this machine, and is not encrypted on its way through the network.`,
    )
    .option('--port <number>', 'TCP port; 0 for any free one', readPort, PORT)
    .option('--host <address>', 'the address to listen on; 127.0.0.1 for this machine alone', '0.0.0.0')
    .option('--name <name>', "what phones call this machine's agent, from its first start on", hostname() || 'Agent')
    .addHelpText(
      'after',
      `\nExamples:\n  $ lineup direct                       then, in another terminal:\n  $ lineup --profile ${PROFILE} demo        the demo agent answers\n  $ lineup direct --host 127.0.0.1 --port 9000`,
    )
    .action(async ({ port, host, name }: Options) => {
      const { profile, state } = program.opts<CommonOptions>();
      const folder = state === undefined && profile === undefined && !line.env.LINEUP_PROFILE ? profileFolder(PROFILE, line.env) : line.state;
      const server = await start({ folder, port, host, name });
      await new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
          // Whoever asks twice does not want to wait.
          process.once(signal, () => (process.once(signal, () => process.exit(EXIT.ok)), resolve()));
        }
      });
      await server.close();
    });

  async function start({ folder, ...options }: Options & { folder: string }): Promise<DirectServer> {
    const { DirectRelay, DirectServer, FileLinks, isInUse, ownAgent, readSecrets, webApp } = await load();
    const { terminal } = line;
    const secrets = await readSecrets(folder);
    const variables = Object.fromEntries(
      Object.entries(line.env).filter(([key, value]) => key.startsWith('LINEUP_') && value !== undefined),
    ) as Record<string, string>;
    const report = (error: unknown): void => terminal.note(`something failed: ${error instanceof Error ? error.message : 'unknown'}`);
    let relay: InstanceType<typeof DirectRelay>;
    try {
      relay = new DirectRelay({ folder: join(folder, 'relay'), ownerKey: secrets.ownerKey, variables, assets: webApp(), report });
    } catch (error) {
      if (isInUse(error)) throw new CommandError(EXIT.replaced, `another "lineup direct" serves ${folder}`);
      if (error instanceof RangeError) throw new CommandError(EXIT.usage, error.message);
      throw error;
    }
    // The agent's address is written down once the port is known; until then nobody can come for it.
    const agent = await ownAgent(relay, { folder, name: options.name, relayOrigin: 'http://127.0.0.1' });
    const server = await DirectServer.start({
      relay,
      host: options.host,
      port: options.port,
      token: secrets.token,
      agentId: agent.agentId,
      links: new FileLinks(secrets.token),
      refused: (reason) => terminal.note(`a v1 client was refused: ${reason}`),
    }).catch((error: unknown) => {
      relay.close();
      throw listenError(error, options);
    });
    await ownAgent(relay, { folder, name: options.name, relayOrigin: server.localOrigin });
    const code = relay.makeCode(agent.agentId, CODE_TTL_S);
    const url = `${server.origin}/#pair=${code}`;
    const v1 = `${server.origin.replace('http:', 'ws:')}/`;
    terminal.result(
      { event: 'listening', origin: server.origin, url, v1, token: secrets.token, agentId: agent.agentId },
      `Open this on a phone of the same network. It works once, within an hour ("lineup --profile ${PROFILE} pair" makes another):

  ${terminal.paint('bold', url)}

${renderUnicodeCompact(url, { border: 2 })}

v1 apps connect to  ${v1}
with the token      ${secrets.token}
Agents of this machine are at home here:  lineup --profile ${PROFILE} demo`,
    );
    return server;
  }
};

/** What needs a Node with SQLite is loaded only when it is asked for. */
async function load() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 13)) {
    throw new CommandError(EXIT.failed, `lineup direct needs Node 22.13 or newer, for its SQLite; this is ${process.version}`);
  }
  const [relay, server, links, sqlite, home, web] = await Promise.all([
    import('../direct/direct-relay.ts'),
    import('../direct/direct-server.ts'),
    import('../direct/file-links.ts'),
    import('../direct/sqlite.ts'),
    import('../direct/direct-home.ts'),
    import('../direct/web-app.ts'),
  ]);
  return { ...relay, ...server, ...links, ...sqlite, ...home, ...web };
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return Number(text);
}

function listenError(error: unknown, { port, host }: Pick<Options, 'port' | 'host'>): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'EADDRINUSE')
    return new CommandError(EXIT.failed, `port ${port} is taken: another program listens there (--port names another)`);
  if (error.code === 'EACCES') return new CommandError(EXIT.failed, `port ${port}: no permission (--port names another)`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new CommandError(EXIT.usage, `--host ${host}: this machine has no such address`);
  return error;
}
