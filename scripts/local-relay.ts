/** Runs the built relay in workerd, in this process's keeping: no development proxy before it, everything persisted in one folder. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4ModuleDefinition, type V4WorkerOptionsShape } from 'miniflare';
import { endRuntimesWithProcess } from './end-with-process.ts';
import { claimFolder, holderOf } from './folder-claim.ts';
import { buildWeb, buildWorker, WORKER_OPTIONS_FILE } from './local-build.ts';

const HOST = '127.0.0.1';

/** How a relay is started on this machine. */
export interface LocalRelayOptions {
  /** TCP port on 127.0.0.1; 0 takes any free one. */
  port: number;
  /** Folder of the Durable Objects' databases; made when missing. */
  persist: string;
  /** The Worker's variables and secrets (`LINEUP_*`). */
  variables: Readonly<Record<string, string>>;
}

/** A relay that serves. */
export interface LocalRelay {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly origin: string;
  /** Ends the runtime. Everything acknowledged is in the folder; open sockets are cut. */
  stop(): Promise<void>;
}

/** The relay cannot start for a reason that its user can mend; `message` says which. */
export class StartError extends Error {}

/**
 * Builds what is missing and starts a relay (§12).
 * @throws StartError when the port is taken, or the folder cannot be made or is another relay's.
 * @throws BuildError when the sources do not build.
 */
export async function startLocalRelay({ port, persist, variables }: LocalRelayOptions): Promise<LocalRelay> {
  if (!(await isPortFree(port))) throw portTaken(port);
  await makeFolder(persist);
  const claim = claimFolder(persist);
  if (claim === null) {
    const holder = holderOf(persist);
    throw new StartError(`another relay runs on the folder ${persist}${holder === undefined ? '' : `, at ${holder}`}`);
  }
  try {
    const [bundle, web] = await Promise.all([buildWorker(), buildWeb()]);
    const miniflare = await startRuntime({ port, persist, variables }, await readWorker(bundle), web);
    const stop = async () => {
      await miniflare.dispose();
      claim.release();
    };
    const { origin } = await miniflare.unsafeGetDirectURL();
    claim.tell(origin);
    return { origin, stop };
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** The Worker of wrangler.toml with its bundle. */
type BuiltWorker = V4WorkerOptionsShape & { modules: V4ModuleDefinition[]; modulesRoot: string };

async function startRuntime({ port, persist, variables }: LocalRelayOptions, worker: BuiltWorker, web: string): Promise<Miniflare> {
  const assets = worker.assets && { assets: { ...worker.assets, directory: web } };
  const options = convertV4MiniflareOptions({
    host: HOST,
    cf: false,
    logRequests: false,
    telemetry: { enabled: false },
    log: new StderrLog(LogLevel.WARN),
    handleStructuredLogs: ({ message }) => process.stderr.write(`${message}\n`),
    resourcePersistencePath: resolve(persist),
    // The Worker listens itself: Miniflare's own entry would add a hop, stack traces in answers and its own paths.
    workers: [{ ...worker, ...assets, bindings: { ...variables }, unsafeDirectSockets: [{ host: HOST, port }] }],
  });
  endRuntimesWithProcess();
  const miniflare = withoutItsSignalHandlers(() => new Miniflare(options));
  try {
    await miniflare.ready;
    return miniflare;
  } catch (error) {
    await miniflare.dispose();
    throw error instanceof Error && /address already in use/i.test(error.message) ? portTaken(port) : error;
  }
}

/** Miniflare says everything on stdout, which belongs to the `ready` line. */
class StderrLog extends Log {
  protected override log(message: string): void {
    process.stderr.write(`${message}\n`);
  }
}

async function readWorker(bundle: string): Promise<BuiltWorker> {
  const { modulesRules: _, ...options } = JSON.parse(await readFile(join(bundle, WORKER_OPTIONS_FILE), 'utf8')) as V4WorkerOptionsShape;
  const texts = (await readdir(bundle)).filter((name) => extname(name) === '.sql');
  const modules: V4ModuleDefinition[] = [
    { type: 'ESModule', path: join(bundle, 'index.js') },
    ...texts.map((name) => ({ type: 'Text' as const, path: join(bundle, name) })),
  ];
  return { ...options, name: 'lineup-relay', modules, modulesRoot: bundle };
}

/** Miniflare ends the process on a signal before its runtime is gone; whoever starts a relay decides that instead. */
function withoutItsSignalHandlers<T>(make: () => T): T {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  const made = make();
  for (const [signal, known] of before) {
    for (const listener of process.listeners(signal)) if (!known.includes(listener)) process.removeListener(signal, listener);
  }
  return made;
}

/** Whether 127.0.0.1 has this port to give; 0 always. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((answer, fail) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? answer(false) : fail(new StartError(`cannot listen on ${HOST}:${port}: ${error.message}`)),
    );
    probe.listen(port, HOST, () => probe.close(() => answer(true)));
  });
}

function portTaken(port: number): StartError {
  return new StartError(`port ${port} of ${HOST}: address already in use`);
}

async function makeFolder(folder: string): Promise<void> {
  try {
    // The key that signs every token is in there.
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartError(`cannot make the folder ${folder}: ${(error as Error).message}`);
  }
}
