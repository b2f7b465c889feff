/**
 * `npm run bench`: the relay against two baselines on the same workerd, in the same run. Prints medians and ratios; only the
 * ratios travel from one machine to another.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { startLocalRelay } from '../scripts/local-relay.ts';
import { startBaselines } from './baselines.ts';
import { Link } from './link.ts';
import { join, makeRoom, RELAY_VARIABLES } from './relay-room.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const PIPELINED = 5_000;
const ONE_BY_ONE = 500;
const FAN_OUT = 10;
const FAN_FRAMES = 500;
const BODY = 'x'.repeat(300);

let made = 0;
const text = (): string => `{"v":1,"id":"b${made++}","type":"text","payload":{"content":"${BODY}"}}`;
const delta = (): string => `{"v":1,"id":"b${made++}","type":"text.delta","payload":{"message_id":"m1","offset":0,"delta":"${BODY}"}}`;
const isAck = (frame: string): boolean => frame.includes('"type":"system.ack"');
const isText = (frame: string): boolean => frame.includes('"type":"text"');
const isDelta = (frame: string): boolean => frame.includes('"type":"text.delta"');
const always = (): boolean => true;

/** One figure of one server in one round. */
type Figures = Record<string, number>;

function percentile(values: number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

/** Sends one frame at a time; ms until `answer` has come. */
async function roundTrips(sender: Link, receiver: Link, matches: (frame: string) => boolean): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < ONE_BY_ONE; i++) {
    const arrived = receiver.count(1, matches);
    const from = performance.now();
    sender.send(text());
    await arrived;
    times.push(performance.now() - from);
  }
  return times;
}

/** Sends frames without waiting; frames a second until all of `done` have resolved. */
async function rate(frames: number, send: () => void, done: Promise<void>[]): Promise<number> {
  const from = performance.now();
  for (let i = 0; i < frames; i++) send();
  await Promise.all(done);
  return (frames / (performance.now() - from)) * 1000;
}

async function echo(origin: string, round: number): Promise<Figures> {
  const url = `${origin}/echo/r${round}`;
  const [a, b] = [await Link.open(url), await Link.open(url)];
  const times = await roundTrips(a, b, always);
  const throughput = await rate(PIPELINED, () => a.send(text()), [b.count(PIPELINED, always)]);
  const deltas = await rate(PIPELINED, () => a.send(delta()), [b.count(PIPELINED, always)]);
  const others = [b, ...(await Promise.all(Array.from({ length: FAN_OUT - 1 }, () => Link.open(url))))];
  const fanOut = await rate(
    FAN_FRAMES,
    () => a.send(text()),
    others.map((link) => link.count(FAN_FRAMES, always)),
  );
  for (const link of [a, ...others]) link.close();
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), throughput, deltas, fanOut };
}

async function naive(origin: string, round: number): Promise<Figures> {
  const url = `${origin}/naive/r${round}`;
  const [a, b] = [await Link.open(url), await Link.open(url)];
  const times = await roundTrips(a, a, isAck);
  const throughput = await rate(PIPELINED, () => a.send(text()), [a.count(PIPELINED, isAck), b.count(PIPELINED, always)]);
  for (const link of [a, b]) link.close();
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), throughput };
}

async function relay(origin: string): Promise<Figures> {
  const room = await makeRoom(origin, FAN_OUT);
  const { link: a, epoch } = await join(room.url, room.agentToken);
  const [first = '', ...rest] = room.deviceTokens;
  const { link: b } = await join(room.url, first);
  const times = await roundTrips(a, a, isAck);
  const throughput = await rate(PIPELINED, () => a.send(text()), [a.count(PIPELINED, isAck), b.count(PIPELINED, isText)]);
  const deltas = await rate(PIPELINED, () => a.send(delta()), [b.count(PIPELINED, isDelta)]);
  const resumed = await join(room.url, first, { epoch, seq: ONE_BY_ONE });
  resumed.link.close();
  const others = [b, ...(await Promise.all(rest.map(async (token) => (await join(room.url, token)).link)))];
  const fanOut = await rate(
    FAN_FRAMES,
    () => a.send(text()),
    others.map((link) => link.count(FAN_FRAMES, isText)),
  );
  for (const link of [a, ...others]) link.close();
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), throughput, deltas, resume: (PIPELINED / resumed.ms) * 1000, fanOut };
}

const folder = await mkdtemp(joinPath(tmpdir(), 'lineup-bench-'));
const baselines = await startBaselines(joinPath(folder, 'baselines'));
const server = await startLocalRelay({ port: 0, persist: joinPath(folder, 'relay'), variables: RELAY_VARIABLES });
const all: Record<'echo' | 'naive' | 'relay', Figures[]> = { echo: [], naive: [], relay: [] };
try {
  for (let round = 0; round < ROUNDS; round++) {
    all.echo.push(await echo(baselines.origin, round));
    all.naive.push(await naive(baselines.origin, round));
    all.relay.push(await relay(server.origin));
    process.stderr.write(`round ${round + 1} of ${ROUNDS}\n`);
  }
} finally {
  await Promise.all([baselines.stop(), server.stop()]);
  await rm(folder, { recursive: true, force: true });
}

const median = (of: keyof typeof all, figure: string): number =>
  percentile(
    all[of].map((figures) => figures[figure] ?? Number.NaN),
    0.5,
  );
const ratio = (figure: string, over: 'echo' | 'naive', overFigure = figure): string =>
  (median('relay', figure) / median(over, overFigure)).toFixed(2);
const rows: [string, string, string, string, string, string][] = [
  ['', 'relay', 'naive', 'echo', 'ratio', 'to reach'],
  ['round trip p50, ms', 'p50', 'p50', 'p50', `${ratio('p50', 'naive')} x naive`, '<= 1.25'],
  ['round trip p99, ms', 'p99', 'p99', 'p99', `${ratio('p99', 'naive')} x naive`, ''],
  ['stored texts/s', 'throughput', 'throughput', 'throughput', `${ratio('throughput', 'naive')} x naive`, '>= 8'],
  ['text.delta/s', 'deltas', '', 'deltas', `${ratio('deltas', 'echo')} x echo`, '>= 0.8'],
  ['resume, frames/s', 'resume', '', 'throughput', `${ratio('resume', 'echo', 'throughput')} x echo`, '>= 1'],
  [`fan-out to ${FAN_OUT}, frames/s`, 'fanOut', '', 'fanOut', `${ratio('fanOut', 'echo')} x echo`, ''],
];
const shown = rows.map(([title, ...figures], i) =>
  i === 0
    ? [title, ...figures]
    : [title, ...(['relay', 'naive', 'echo'] as const).map((name, n) => number(name, figures[n] ?? '')), ...figures.slice(3)],
);
function number(name: 'echo' | 'naive' | 'relay', figure: string): string {
  if (figure === '') return '';
  const value = median(name, figure);
  return value < 100 ? value.toFixed(2) : String(Math.round(value));
}
console.log(`Medians of ${ROUNDS} interleaved rounds, ${BODY.length}-byte texts, ${PIPELINED} pipelined, one workerd binary.`);
for (const row of shown) console.log(row.map((cell, i) => (i === 0 ? cell.padEnd(26) : cell.padStart(i === 4 ? 14 : 10))).join(''));
