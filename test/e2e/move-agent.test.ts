/** An agent program whose conversation moves: it goes on with what it knows, and answers nothing twice. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { FIXTURE, WAIT_MS } from './home-world.ts';
import { historyOf, MoveWorld, phoneBy, type Person } from './move-world.ts';

const CLI = new URL('../../client/agent/cli.ts', import.meta.url).pathname;

const world = new MoveWorld();
let running: ChildProcess | undefined;
beforeAll(() => world.start());
afterEach(end);
afterAll(() => world.end());

async function end(): Promise<void> {
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  running.kill('SIGTERM');
  await once(running, 'exit');
}

/** Starts `lineup connect` with a profile. */
function connect(profile: string): void {
  const env = { ...process.env, LINEUP_HOME: world.home, FIXTURE_SESSIONS: join(world.home, 'fixture.json') };
  const args = [CLI, '--profile', profile, 'connect', '--cwd', world.home, '--', process.execPath, FIXTURE, '--load'];
  running = spawn(process.execPath, args, { env, stdio: 'ignore' });
}

const answers = async (who: Person) =>
  (await historyOf(who))
    .filter(({ sender, type, id }) => sender.kind === 'agent' && type === 'text' && !id.startsWith('moved_'))
    .map(({ payload }) => String(payload.content));

it('goes on in its session at the other end, there and back', async () => {
  const phone = await phoneBy((await world.agent.http.createPairing()).url);
  connect('default');
  await phone.say({ id: 'q1', payload: { content: 'apples' } });
  await expect.poll(() => answers(phone), { timeout: WAIT_MS }).toHaveLength(1);
  await end();

  const there = await world.move('move', '--to', 'direct');
  expect(there).toMatchObject({ moved: 2, session: true });
  const atHome = await phoneBy(there.url);
  connect('direct');
  await atHome.say({ id: 'q2', payload: { content: 'pears' } });
  await expect.poll(() => answers(atHome), { timeout: WAIT_MS }).toHaveLength(2);
  expect((await answers(atHome))[1]).toMatch(/\| apples \| pears$/);
  await end();

  const back = await world.move('--profile', 'direct', 'move', '--to', 'default');
  expect(back).toMatchObject({ moved: 2, session: true });
  connect('default');
  await phone.say({ id: 'q3', payload: { content: 'plums' } });
  await expect.poll(() => answers(phone), { timeout: WAIT_MS }).toHaveLength(3);
  expect((await answers(phone))[2]).toMatch(/\| apples \| pears \| plums$/);
  await end();
});

it('that runs at the other end already answers nothing of what is moved', async () => {
  const { agent, phone } = await world.conversation('Busy');
  await phone.say({ id: 'b1', payload: { content: 'nobody answered this' } });
  connect('direct');
  const isThere = async () => (await world.run('--profile', 'direct', 'status')).text.includes('online');
  await expect.poll(isThere, { timeout: WAIT_MS }).toBe(true);
  const moved = await world.move('move', '--to', 'direct', '--conversation', agent.conversationId);
  expect(moved).toMatchObject({ moved: 1, session: false });
  const atHome = await phoneBy(moved.url);
  await atHome.say({ id: 'b2', payload: { content: 'but this' } });
  await expect.poll(() => answers(atHome), { timeout: WAIT_MS }).toHaveLength(1);
  expect((await answers(atHome))[0]).toMatch(/\| but this$/);
  expect((await answers(atHome))[0]).not.toContain('nobody');
});
