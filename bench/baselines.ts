/** Starts the baselines on the same workerd, and in the same way, as the relay that they are compared with. */
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { join } from 'node:path';

/** The baselines' origin and how to end them. */
export interface Baselines {
  /** `ws://127.0.0.1:<port>`; `/echo/<room>` and `/naive/<room>`. */
  origin: string;
  stop(): Promise<void>;
}

/** @param persist folder of their databases, on the same disk as the relay's */
export async function startBaselines(persist: string): Promise<Baselines> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      cf: false,
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
      resourcePersistencePath: persist,
      workers: [
        {
          name: 'baselines',
          modules: [{ type: 'ESModule', path: join(import.meta.dirname, 'baselines-worker.js') }],
          modulesRoot: import.meta.dirname,
          compatibilityDate: '2026-10-20',
          durableObjects: { ECHO: { className: 'Echo', useSQLite: true }, NAIVE: { className: 'Naive', useSQLite: true } },
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
        },
      ],
    }),
  );
  await miniflare.ready;
  const url = await miniflare.unsafeGetDirectURL();
  return { origin: `ws://${url.host}`, stop: () => miniflare.dispose() };
}
