/** `npm start`: relay, web app and demo agent on this machine, and a pairing link in the terminal (§12). */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makePrivateFolder } from '../client/agent/private-file.ts';
import { NetworkError, RelayError } from '../client/core/errors.ts';
import { DemoAgent } from './demo-agent.ts';
import { BuildError, ROOT } from './local-build.ts';
import { isPortFree, type LocalRelay, StartError, startLocalRelay } from './local-relay.ts';
import { ownerKey } from './owner-key.ts';
import { PairingInvitation } from './pairing-invitation.ts';
import { readRelayVariables } from './relay-variables.ts';
import { onStopRequest } from './stop-request.ts';

const FOLDER = join(ROOT, '.lineup');
const FIRST_PORT = 8787;
const PORTS_TO_TRY = 20;

let relay: LocalRelay | undefined;
let agent: DemoAgent | undefined;
onStopRequest(() => void stop());

try {
  await start();
} catch (error) {
  const explained = [StartError, BuildError, RangeError, RelayError, NetworkError].some((kind) => error instanceof kind);
  if (!explained) throw error;
  process.stderr.write(`LineUp Relay cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}

async function start(): Promise<void> {
  say('Starting the relay, the web app and a demo agent …');
  await makePrivateFolder(FOLDER);
  const variables = readRelayVariables(process.env);
  const key = variables['LINEUP_OWNER_KEY'] || (await ownerKey(FOLDER));
  relay = await startLocalRelay({ port: await firstFreePort(), persist: join(FOLDER, 'relay'), variables: { ...variables, LINEUP_OWNER_KEY: key } });
  agent = await DemoAgent.start({ origin: relay.origin, ownerKey: key, folder: FOLDER, onTrouble: say });
  say(`\nLineUp Relay runs at ${relay.origin}, for browsers on this machine. Everything it keeps is in ${FOLDER}.
A phone needs a relay with https: "npm run deploy" puts this one on Cloudflare.`);
  const interactive = process.stdin.isTTY;
  const invitation = new PairingInvitation(agent.http, say, interactive);
  if (interactive) createInterface({ input: process.stdin, terminal: false }).on('line', () => show(invitation));
  show(invitation);
}

function show(invitation: PairingInvitation): void {
  invitation.show().catch((error: unknown) => say(`No pairing link: ${error instanceof Error ? error.message : String(error)}`));
}

async function firstFreePort(): Promise<number> {
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS_TO_TRY; port++) if (await isPortFree(port)) return port;
  throw new StartError(`the ports ${FIRST_PORT} to ${FIRST_PORT + PORTS_TO_TRY - 1} are all taken`);
}

async function stop(): Promise<void> {
  // Together: Ctrl-C reaches the agent and the runtime as well, and whoever is still there when they are gone starts them again.
  await Promise.all([agent?.stop(), relay?.stop()]);
  process.exit(0);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
