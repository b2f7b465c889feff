/** One place that hears every way in which a long-running script is asked to end. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const LOOK_FOR_SHELL_EVERY_MS = 250;

/**
 * Calls `stop` once, at the first request to end: a signal, or, under `npm run`, the end of the shell between npm and this
 * process (npm hands a SIGTERM to that shell, which dies of it without passing it on).
 */
export function onStopRequest(stop: () => void): void {
  let asked = false;
  const ask = () => {
    if (asked) return;
    asked = true;
    clearInterval(look);
    stop();
  };
  const shell = process.ppid;
  const look = setInterval(() => {
    if (process.env['npm_lifecycle_event'] !== undefined && process.ppid !== shell) ask();
  }, LOOK_FOR_SHELL_EVERY_MS);
  look.unref();
  for (const signal of SIGNALS) process.on(signal, ask);
}
