/** One JSON line per event, for the operator. Never a token, a code, a name or content: an error's message could hold any of them. */

/** Logs that something failed: where in the code, but not with which words. */
export function logFailure(event: string, error: unknown, details: Record<string, string | number> = {}): void {
  console.error(JSON.stringify({ level: 'error', event, ...details, ...traceOf(error) }));
}

function traceOf(error: unknown): { error: string; at?: string[] } {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '));
  return { error: error.name, at: frames.slice(0, 8) };
}
