/** Starts direct mode in a folder: secrets, relay, the agent of this machine, server; or says in one sentence why it cannot. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, EXIT } from '../exit-codes.ts';
import { checkTenant, ownAgent, readSecrets } from './direct-home.ts';
import { DirectRelay } from './direct-relay.ts';
import { DirectServer } from './direct-server.ts';
import { FileLinks } from './file-links.ts';
import { isInUse } from './sqlite.ts';
import { webApp } from './web-app.ts';

/** What the user asked for. */
export interface DirectWishes {
  /** Keeps everything: secrets, the agent's setup, and in `relay/` what is said. */
  folder: string;
  host: string;
  /** 0: any free one. */
  port: number;
  /** What the agent of this machine is called from its first start on. */
  name: string;
  /** A built web app; undefined: the one of this package. */
  web?: string;
  env: NodeJS.ProcessEnv;
  /** Hears what goes wrong while it runs, a line each. */
  note(line: string): void;
}

/** Direct mode that runs. */
export interface RunningDirect {
  server: DirectServer;
  agentId: string;
  /** The pre-shared token. */
  token: string;
  /** A code that pairs one device. */
  code: string;
}

/** Where the relay is in the folder. */
const RELAY = 'relay';
/** Codes of a start are good for this long, in seconds: the longest that there is. */
const CODE_TTL_S = 3_600;

/** @throws CommandError when the port or the folder is taken, by another process or by an agent of another relay, the address is none of this machine's, or a `LINEUP_*` limit is out of range */
export async function startDirect(wishes: DirectWishes): Promise<RunningDirect> {
  const { folder, host, port, name, note } = wishes;
  if (!existsSync(join(folder, RELAY))) await checkTenant(folder, null);
  const { token, ownerKey } = await readSecrets(folder);
  const relay = openRelay(wishes, ownerKey);
  try {
    await checkTenant(folder, relay);
    // The address is written down once the port is known; until then nobody can come for it.
    const { agentId } = await ownAgent(relay, { folder, name, relayOrigin: 'http://127.0.0.1' });
    const links = new FileLinks(token);
    const refused = (reason: string): void => note(`a v1 client was refused: ${reason}`);
    const server = await DirectServer.start({ relay, host, port, token, agentId, links, refused });
    await ownAgent(relay, { folder, name, relayOrigin: server.localOrigin });
    const code = relay.makeCode(agentId, CODE_TTL_S);
    if (code === null) throw new CommandError(EXIT.failed, 'too many codes are waiting to be used: try again in an hour');
    return { server, agentId, token, code };
  } catch (error) {
    relay.close();
    throw whyNot(error, wishes);
  }
}

function openRelay({ folder, web, env, note }: DirectWishes, ownerKey: string): DirectRelay {
  const variables = Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (key.startsWith('LINEUP_') && value ? [[key, value]] : [])));
  const report = (error: unknown): void => note(`something failed: ${error instanceof Error ? error.message : 'unknown'}`);
  try {
    return new DirectRelay({ folder: join(folder, RELAY), ownerKey, variables, assets: webApp(web), report });
  } catch (error) {
    if (isInUse(error)) throw new CommandError(EXIT.replaced, `another "lineup direct" serves ${folder}`);
    if (error instanceof RangeError) throw new CommandError(EXIT.usage, error.message);
    throw error;
  }
}

function whyNot(error: unknown, { port, host }: DirectWishes): unknown {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new CommandError(EXIT.failed, `port ${port} is taken: another program listens there (--port names another)`);
    case 'EACCES':
      return new CommandError(EXIT.failed, `port ${port}: no permission (--port names another)`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CommandError(EXIT.usage, `--host ${host}: this machine has no such address`);
    default:
      return error;
  }
}
