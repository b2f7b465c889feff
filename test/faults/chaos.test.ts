/** Everything at once and at random: networks that cut, die, crawl and go away, and a relay that is killed. */
import { afterEach, expect, it } from 'vitest';
import { fastClock, Stage } from './stage.ts';

let stage: Stage;
afterEach(() => stage.strike());

const LASTS_MS = 8_000;

/** Numbers from 0 to 1 that are the same for the same seed, so that what was found can be found again. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 1e9));

it(`nothing acknowledged is lost or doubled (CHAOS_SEED=${seed})`, async () => {
  const random = seeded(seed);
  const among = <T>(...things: readonly T[]): T => things[Math.floor(random() * things.length)] as T;
  stage = await Stage.set({ variables: { LINEUP_RATE_PER_S: '0', LINEUP_WINDOW_BYTES: '20000' }, clock: fastClock(20) });
  const players = [await stage.agent(), await stage.device('Phone'), await stage.device('Tablet')];
  for (const player of players) void player.stream(4 + random() * 6);

  const end = Date.now() + LASTS_MS;
  while (Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 40 + random() * 200));
    const { network } = among(...players);
    among(
      () => network.cut(),
      () => network.cut(),
      () => network.freeze(),
      () => network.slow(among(0, 0, 200_000), among(0, 10, 50)),
      () => network.down(),
      () => network.up(),
      () => network.up(),
    )();
    if (random() > 0.05) continue;
    await stage.relay.end('SIGKILL');
    await stage.relay.start();
  }
  expect(await stage.verdict()).toEqual([]);
});
