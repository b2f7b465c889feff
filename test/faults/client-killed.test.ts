/** The client's own process is killed while it sends and receives: what it promised to keep arrives once, what it was told stays told. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import type { ProcessNews, ProcessOrders } from './client-process.ts';
import { Stage, until } from './stage.ts';

const PROGRAM = new URL('./client-process.ts', import.meta.url).pathname;

let stage: Stage;
afterEach(() => stage.strike());

/** Runs the device until `isOver`, then kills it. */
async function live(orders: ProcessOrders, isOver: (news: ProcessNews) => boolean): Promise<ProcessNews[]> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(orders)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const heard: ProcessNews[] = [];
  for await (const line of createInterface(child.stdout)) {
    const news = JSON.parse(line) as ProcessNews;
    heard.push(news);
    if (isOver(news)) child.kill('SIGKILL');
  }
  await exited;
  return heard;
}

it('a device that is killed again and again keeps its promises', async () => {
  stage = await Stage.set({ variables: { LINEUP_RATE_PER_S: '0' } });
  const agent = await stage.agent();
  const { self, token } = await stage.pass('Phone');
  const orders = { relay: stage.relay.origin, conversationId: stage.conversationId, deviceId: self.id, token, folder: stage.folder };
  void agent.stream(5);

  const lives: ProcessNews[][] = [];
  const kept = () => lives.flat().flatMap((news) => ('kept' in news ? [news.kept] : []));
  for (let life = 0; life < 4; life++) {
    let promises = 0;
    // The one that was not promised any more may have been sent all the same: its number is not used again.
    const from = (kept().at(-1) ?? 0) + 10;
    lives.push(await live({ ...orders, from, talks: true }, (news) => 'kept' in news && ++promises === 60 + 17 * life));
  }
  agent.hush();
  await until('the agent has sent everything', () => agent.connection.outbox.length === 0);
  lives.push(await live({ ...orders, from: 0, talks: false }, (news) => 'drained' in news));

  const promised = kept();
  const received = () => agent.observer.received.map(({ frame }) => Number(frame.id.slice(1)));
  await until('every promise is kept', () => promised.every((n) => received().includes(n)));
  expect(new Set(received()).size).toBe(received().length);
  expect(received()).toEqual(received().toSorted((a, b) => a - b));

  // What was told in one life is not told in the next, but for what a life that was cut short had not yet noted.
  const told = lives.map((life) => life.flatMap((news) => ('told' in news ? [news.told.seq ?? 0] : [])));
  for (const seqs of told) expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
  const all = new Set(told.flat());
  const said = await seqsOf(agent.self.id);
  expect(said.filter((seq) => !all.has(seq))).toEqual([]);
  expect(told.flat().length - all.size).toBeLessThan(told.length * 10);
});

/** What one participant said, as the relay has it. */
async function seqsOf(sender: string): Promise<number[]> {
  const seqs: number[] = [];
  for (let after = 0; ;) {
    const page = await stage.http.history(stage.conversationId, { after, limit: 100 });
    for (const { sender: by, seq } of page.messages) if ('id' in by && by.id === sender) seqs.push(seq ?? 0);
    after = page.messages.at(-1)?.seq ?? after;
    if (!page.has_more) return seqs;
  }
}
