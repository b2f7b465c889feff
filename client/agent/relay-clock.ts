/** What the relay's clock says: times that it judges must not depend on this machine's. */
import { within } from '../core/deadline.ts';

const DEADLINE_MS = 10_000;

/** How far this machine's clock is ahead of the relay's, in ms, to about a second; null when the relay does not tell. */
export async function clockSkew(relay: string): Promise<number | null> {
  const before = Date.now();
  const response = await within(DEADLINE_MS, async (signal) => {
    const answer = await fetch(new URL('/healthz', relay), { signal });
    await answer.arrayBuffer();
    return answer;
  });
  const told = Date.parse(response.headers.get('date') ?? '');
  // The header has whole seconds: what it says is half a second ago on average.
  return Number.isNaN(told) ? null : (before + Date.now()) / 2 - (told + 500);
}
