/** `npm start`: relay, web app and demo agent on this machine, and a pairing link in the terminal (§12). */
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { makePrivateFolder } from '../client/agent/private-file.ts';
import { NetworkError, RelayError } from '../client/core/errors.ts';
import { DemoAgent } from './demo-agent.ts';
import { BuildError, ROOT } from './local-build.ts';
import { isPortFree, type LocalRelay, StartError, startLocalRelay } from './local-relay.ts';
import { ownerKey } from './owner-key.ts';
import { PairingInvitation } from './pairing-invitation.ts';
import { readPort } from './port.ts';
import { readRelayVariables } from './relay-variables.ts';
import { onStopRequest } from './stop-request.ts';

const USAGE = `Usage: npm start -- [--port 8787] [--folder .lineup]

  --port    TCP port on 127.0.0.1; the next free one when it is taken
  --folder  keeps everything: the relay's data, its owner key, the demo agent's memory

LINEUP_* variables of the environment reach the relay.`;
const PORTS_TO_TRY = 20;

let relay: LocalRelay | undefined;
let agent: DemoAgent | undefined;
onStopRequest(() => void stop());

try {
  await start(readArguments());
} catch (error) {
  const explained = [StartError, BuildError, RelayError, NetworkError].some((kind) => error instanceof kind);
  if (!explained) throw error;
  process.stderr.write(`LineUp Relay cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}

interface Wishes {
  port: number;
  folder: string;
  variables: Record<string, string>;
}

async function start({ port, folder, variables }: Wishes): Promise<void> {
  say('Starting the relay, the web app and a demo agent …');
  await makePrivateFolder(folder);
  const key = variables['LINEUP_OWNER_KEY'] || (await ownerKey(folder));
  relay = await startLocalRelay({
    port: await firstFreePort(port),
    persist: join(folder, 'relay'),
    variables: { ...variables, LINEUP_OWNER_KEY: key },
  });
  agent = await DemoAgent.start({ origin: relay.origin, ownerKey: key, folder, onTrouble: say });
  say(`\nLineUp Relay runs at ${relay.origin}, for browsers on this machine. Everything it keeps is in ${folder}
A phone needs a relay with https: "npm run deploy" puts this one on Cloudflare.`);
  const interactive = process.stdin.isTTY;
  const invitation = new PairingInvitation(agent.http, say, interactive);
  if (interactive) createInterface({ input: process.stdin, terminal: false }).on('line', () => show(invitation));
  show(invitation);
}

function readArguments(): Wishes {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '8787' },
        folder: { type: 'string', default: join(ROOT, '.lineup') },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      say(USAGE);
      process.exit(0);
    }
    return { port: readPort(values.port), folder: resolve(values.folder), variables: readRelayVariables(process.env) };
  } catch (error) {
    process.stderr.write(`LineUp Relay cannot start: ${(error as Error).message} (npm start -- --help)\n`);
    process.exit(2);
  }
}

function show(invitation: PairingInvitation): void {
  invitation.show().catch((error: unknown) => say(`No pairing link: ${error instanceof Error ? error.message : String(error)}`));
}

async function firstFreePort(first: number): Promise<number> {
  for (let port = first; port < first + PORTS_TO_TRY; port++) if (await isPortFree(port)) return port;
  throw new StartError(`the ports ${first} to ${first + PORTS_TO_TRY - 1} are all taken`);
}

async function stop(): Promise<void> {
  // Together: Ctrl-C reaches the agent and the runtime as well, and whoever is still there when they are gone starts them again.
  await Promise.all([agent?.stop(), relay?.stop()]);
  process.exit(0);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
