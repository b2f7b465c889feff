/** `npm run relay -- --port P --persist DIR`: the relay and the web app alone on 127.0.0.1 (§12). */
import { parseArgs } from 'node:util';
import { BuildError } from './local-build.ts';
import { type LocalRelay, StartError, startLocalRelay } from './local-relay.ts';
import { readPort } from './port.ts';
import { readRelayVariables } from './relay-variables.ts';
import { onStopRequest } from './stop-request.ts';

const USAGE = `Usage: npm run relay -- [--port 8787] [--persist .lineup/relay]

  --port     TCP port on 127.0.0.1; 0 takes any free one
  --persist  folder that keeps everything; made when missing

LINEUP_* variables of the environment reach the relay. It prints one line, "ready http://127.0.0.1:PORT", when it serves.`;

let relay: LocalRelay | undefined;
onStopRequest(() => void stop());

try {
  const { port, persist } = readArguments();
  relay = await startLocalRelay({ port, persist, variables: orMisuse(() => readRelayVariables(process.env)) });
  process.stdout.write(`ready ${relay.origin}\n`);
  if (!process.env.LINEUP_OWNER_KEY) process.stderr.write('relay: LINEUP_OWNER_KEY is not set, so nobody can enrol an agent\n');
} catch (error) {
  if (!(error instanceof StartError || error instanceof BuildError)) throw error;
  process.stderr.write(`relay: ${error.message}\n`);
  process.exit(1);
}

async function stop(): Promise<void> {
  await relay?.stop();
  process.exit(0);
}

function readArguments(): { port: number; persist: string } {
  const { values } = orMisuse(() =>
    parseArgs({
      options: {
        port: { type: 'string', default: '8787' },
        persist: { type: 'string', default: '.lineup/relay' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }),
  );
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  }
  if (values.persist === '') misuse('--persist must name a folder');
  return { port: orMisuse(() => readPort(values.port)), persist: values.persist };
}

function orMisuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return misuse((error as Error).message);
  }
}

function misuse(message: string): never {
  process.stderr.write(`relay: ${message} (npm run relay -- --help)\n`);
  process.exit(2);
}
