/** `lineup move` between a real relay and a real direct machine, both ways. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodePng } from '../../client/agent/png.ts';
import { DirectProcess } from './direct-process.ts';
import { historyOf, MoveWorld, phoneBy, type Person } from './move-world.ts';

const PNG = Buffer.from(encodePng(40, 30, (x, y) => [x * 6, y * 8, 120]));

const world = new MoveWorld();
beforeAll(() => world.start());
afterAll(() => world.end());

const bytesOf = async ({ http, conversationId }: Person, fileId: unknown) =>
  Buffer.from(await (await http.download(conversationId, String(fileId))).arrayBuffer());
const confirm = (callId: string) => ({ name: 'confirm', action: 'ask', call_id: callId, arguments: { question: 'Deploy?' } });

describe('lineup move', () => {
  it('carries what was said to direct mode and back, with pictures, files and answers, and leaves what is open', async () => {
    const { agent, phone } = await world.conversation('Garden');
    const picture = await agent.http.upload(agent.conversationId, PNG, 'image/png');
    const notes = await phone.http.upload(phone.conversationId, Buffer.from('两个浇水的日子'), 'text/plain');
    await phone.say({ id: 'p1', payload: { content: 'How is the garden?' } });
    await agent.say({ id: 'a1', payload: { content: 'Draft' } });
    await agent.say({ id: 'a2', type: 'text.edit', payload: { message_id: 'a1', content: 'Dry. Look:' } });
    await agent.say({ id: 'a3', type: 'image', payload: { url: picture.url, file_id: picture.file_id, alt: 'A bed' } });
    await phone.say({ id: 'p2', type: 'file', payload: { file_id: notes.file_id, name: 'notes.txt', mime_type: 'text/plain', size: notes.size } });
    await agent.say({ id: 'a4', type: 'tool.call', payload: confirm('water') });
    const answer = { name: 'confirm', action: 'ask', call_id: 'water', result: { message: 'confirmed', confirmed: true } };
    await phone.say({ id: 'p3', type: 'tool.result', payload: answer });
    await agent.say({ id: 'a5', type: 'tool.call', payload: confirm('later') });
    const app = { id: 'com.example.bed', name: 'Bed', version: '1.0.0', html: '<p>' };
    await agent.say({ id: 'a6', type: 'lineup.v1.ui.open', payload: { instance_id: 's1', app, state: {} } });

    const there = await world.move('move', '--to', 'direct', '--conversation', agent.conversationId);
    expect(there).toMatchObject({
      moved: 7,
      files: 2,
      bytes: PNG.byteLength + notes.size,
      stayed: { open_calls: 1, surfaces: 1, files: 0, stray: 0, unknown: 0 },
      announced: true,
    });
    const atHome = await phoneBy(there.url);
    expect(atHome.conversationId).toBe(there.to.conversation_id);
    const seen = await historyOf(atHome);
    expect(seen.map(({ id }) => id)).toEqual(['p1', 'a1', 'a2', 'a3', 'p2', 'a4']);
    expect(seen.at(-1)?.settled).toMatchObject({ status: 'completed' });
    expect((await bytesOf(atHome, seen[3]?.payload.file_id)).equals(PNG)).toBe(true);
    expect((await bytesOf(atHome, seen[4]?.payload.file_id)).toString()).toBe('两个浇水的日子');
    const source = await historyOf(agent);
    expect(seen.map(({ ts }) => ts)).toEqual(source.filter(({ id }) => seen.some((other) => other.id === id)).map(({ ts }) => ts));
    // The old one is as it was, and says where it goes on.
    expect(source.map(({ id }) => id).slice(0, -1)).toEqual(['p1', 'a1', 'a2', 'a3', 'p2', 'a4', 'p3', 'a5', 'a6']);
    expect(String(source.at(-1)?.payload.content)).toContain(`](${there.url})`);
    expect((await phone.http.conversations()).find((each) => each.conversation_id === agent.conversationId)?.title).toBe('Garden');

    // Back it goes on where it came from, with what is new.
    await atHome.say({ id: 'p1', payload: { content: 'And the pond?' } });
    const pond = await atHome.http.upload(atHome.conversationId, PNG, 'image/png');
    await atHome.say({ id: 'pond', type: 'image', payload: { url: pond.url, file_id: pond.file_id, alt: 'The pond' } });
    const back = await world.move('--profile', 'direct', 'move', '--to', 'default', '--conversation', there.to.conversation_id);
    expect(back).toMatchObject({ moved: 2, already: 0, files: 1, to: { conversation_id: agent.conversationId } });
    const all = await historyOf(phone);
    const saidHere = ['How is the garden?', 'Draft', 'Dry. Look:', 'A bed', 'notes.txt', 'confirm', 'confirm', 'confirm'];
    const wordsOf = (frames: typeof all) =>
      frames
        .filter(({ id, type }) => !id.startsWith('moved_') && !type.startsWith('lineup.v1.ui.'))
        .map(({ payload }) => payload.content ?? payload.name ?? payload.alt);
    expect(wordsOf(all)).toEqual([...saidHere, 'And the pond?', 'The pond']);
    expect((await bytesOf(phone, all.at(-1)?.payload.file_id)).equals(PNG)).toBe(true);
    expect(String((await historyOf(atHome)).at(-1)?.payload.content)).toContain(`](${back.url})`);

    // And there again, with what was said at both ends and answered meanwhile; nothing is at one end twice.
    await phone.say({ id: 'p4', type: 'tool.result', payload: { ...answer, call_id: 'later' } });
    await atHome.say({ id: 'late', payload: { content: 'Said at home all the same' } });
    await phone.say({ id: 'p9', payload: { content: 'Bring the ladder' } });
    const again = await world.move('move', '--to', 'direct', '--conversation', agent.conversationId, '--no-announce');
    expect(again).toMatchObject({
      moved: 3,
      stayed: { open_calls: 0, stray: 0 },
      announced: false,
      to: { conversation_id: there.to.conversation_id },
    });
    expect(wordsOf(await historyOf(atHome)).slice(-4)).toEqual(['The pond', 'Said at home all the same', 'confirm', 'Bring the ladder']);
    const { http: home } = world.personOf(await world.setup('direct'));
    expect(await home.audit(there.to.conversation_id, 10)).toMatchObject([
      { call_id: 'later', status: 'completed' },
      { call_id: 'water', status: 'completed' },
    ]);
    const last = await world.move('--profile', 'direct', 'move', '--to', 'default', '--conversation', there.to.conversation_id, '--no-announce');
    expect(last.moved).toBe(1);
    expect(wordsOf(await historyOf(phone)).slice(-4)).toEqual(['The pond', 'confirm', 'Bring the ladder', 'Said at home all the same']);
  });

  it('goes on where it broke off for want of room, without saying anything twice', async () => {
    const { agent, phone } = await world.conversation('Long');
    for (let i = 0; i < 130; i++) await (i % 2 ? agent : phone).say({ id: `m${i}` });
    const film = await phone.http.upload(phone.conversationId, new Uint8Array(40_000), 'video/mp4');
    await phone.say({ id: 'film', type: 'file', payload: { file_id: film.file_id, name: 'film.mp4', mime_type: 'video/mp4', size: film.size } });
    await agent.say({ id: 'last' });
    await world.direct.end();
    process.env.LINEUP_FILE_QUOTA_BYTES = '10000';
    world.direct = await DirectProcess.start(world.home);
    const move = ['move', '--to', 'direct', '--conversation', agent.conversationId] as const;
    const broken = await world.run(...move);
    expect(broken.code).toBe(7);
    expect(broken.text).toMatch(/direct \(http:\/\/127\.0\.0\.1:\d+\): the relay refused: body: the files of this conversation would be more than/);
    await world.direct.end();
    delete process.env.LINEUP_FILE_QUOTA_BYTES;
    world.direct = await DirectProcess.start(world.home);
    const before = await world.personOf(await world.setup('direct')).http.conversations();
    const done = await world.move(...move);
    expect(done).toMatchObject({ moved: 32, already: 100, files: 1 });
    const after = await world.personOf(await world.setup('direct')).http.conversations();
    expect(after.map(({ conversation_id }) => conversation_id)).toEqual(before.map(({ conversation_id }) => conversation_id));
    const ids = (await historyOf(await phoneBy(done.url))).map(({ id }) => id);
    expect(ids).toEqual([...Array.from({ length: 130 }, (_, i) => `m${i}`), 'film', 'last']);
  }, 60_000);

  it('leaves a picture whose bytes are too many for the other relay, and says so', async () => {
    const { agent, phone } = await world.conversation('Pictures');
    const large = await phone.http.upload(phone.conversationId, new Uint8Array(40_000), 'image/png');
    await phone.say({ id: 'large', type: 'image', payload: { file_id: large.file_id, url: large.url } });
    await phone.say({ id: 'words' });
    await world.direct.end();
    process.env.LINEUP_MAX_FILE_BYTES = '10000';
    world.direct = await DirectProcess.start(world.home);
    const { code, text } = await world.run('move', '--to', 'direct', '--conversation', agent.conversationId);
    await world.direct.end();
    delete process.env.LINEUP_MAX_FILE_BYTES;
    world.direct = await DirectProcess.start(world.home);
    expect(code).toBe(0);
    expect(text).toContain('1 message moved');
    expect(text).toContain('Only this machine can open it');
    expect(text).toContain('Not moved: 1 message with a picture or file that is gone, or larger than the other relay takes');
  });

  it('says what is wrong before it makes anything', async () => {
    const { agent } = await world.conversation('Trouble');
    const list = async () => (await world.personOf(await world.setup('direct')).http.conversations()).length;
    const before = await list();
    const fails = async (code: number, words: RegExp, ...args: string[]) => {
      const ended = await world.run(...args);
      expect(ended.text).toMatch(words);
      expect(ended.code).toBe(code);
    };
    await fails(2, /required option '--to <profile>'/, 'move');
    await fails(2, /there is no agent in the profile "nowhere" yet: run "lineup --profile nowhere setup"/, 'move', '--to', 'nowhere');
    await fails(2, /"default" is this agent/, 'move', '--to', 'default');
    await fails(7, /default: nothing was said in cv_\w+ yet/, 'move', '--to', 'direct', '--conversation', agent.conversationId);
    await agent.say({ id: 'x' });
    await fails(7, /default: this agent has no conversation cv_a+/, 'move', '--to', 'direct', '--conversation', `cv_${'a'.repeat(24)}`);
    const direct = world.personOf(await world.setup('direct'));
    await direct.say({ id: `said-${Date.now()}` });
    process.env.LINEUP_OWNER_KEY = 'wrong';
    await fails(3, /the relay does not take this owner key/, '--profile', 'direct', 'move', '--to', 'default');
    process.env.LINEUP_OWNER_KEY = 'owner-key-of-tests-0123456789';
    await world.direct.end();
    await fails(
      6,
      /direct \(http:\/\/127\.0\.0\.1:\d+\): the relay cannot be reached/,
      'move',
      '--to',
      'direct',
      '--conversation',
      agent.conversationId,
    );
    await fails(6, /direct \(http:\/\/127\.0\.0\.1:\d+\): the relay cannot be reached/, '--profile', 'direct', 'move', '--to', 'default');
    world.direct = await DirectProcess.start(world.home);
    expect(await list()).toBe(before);
  });
});
