import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimAgent } from '../agent-claim.ts';
import { BOOKS, SessionBook } from '../acp/session-book.ts';
import { carrySession } from './carry-session.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lineup-carry-'));
});
afterEach(() => rm(home, { recursive: true }));

const place = (state: string, conversationId: string) => ({ setup: { state: join(home, state), agentId: 'ag_1' }, conversationId });
const bookPath = (state: string) => join(home, state, 'ag_1', 'acp-sessions.json');

async function book(state: string, command: string[]): Promise<SessionBook> {
  await mkdir(join(home, state, 'ag_1'), { recursive: true });
  return SessionBook.open(bookPath(state), command, (problem) => expect.fail(problem));
}

describe('the session of a program', () => {
  it('goes along, and what is known of other conversations stays', async () => {
    const from = await book('a', ['hermes']);
    await from.set('cv_old', { sessionId: 's1', working_on: 'm1' });
    const to = await book('b', ['hermes']);
    await to.set('cv_other', { sessionId: 's9' });
    expect(await carrySession(place('a', 'cv_old'), place('b', 'cv_new'))).toBe(true);
    const there = await book('b', ['hermes']);
    expect([there.sessionOf('cv_new'), there.workingOn('cv_new'), there.sessionOf('cv_other')]).toEqual(['s1', undefined, 's9']);
    expect((await book('a', ['hermes'])).sessionOf('cv_old')).toBe('s1');
  });

  it('makes a book where there is none, as on the first move', async () => {
    await (await book('a', ['hermes'])).set('cv_old', { sessionId: 's1' });
    expect(await carrySession(place('a', 'cv_old'), place('b', 'cv_new'))).toBe(true);
    expect((await book('b', ['hermes'])).sessionOf('cv_new')).toBe('s1');
  });

  it('does not go along with an agent of acp-connect: whose the conversation is does', async () => {
    const agents = (state: string) => SessionBook.open(join(home, state, 'ag_1', BOOKS.agents), ['acp-connect'], (problem) => expect.fail(problem));
    await mkdir(join(home, 'a', 'ag_1'), { recursive: true });
    await (await agents('a')).set('cv_old', { sessionId: 'Reviewer' });
    expect(await carrySession(place('a', 'cv_old'), place('b', 'cv_new'))).toBe(false);
    expect((await agents('b')).sessionOf('cv_new')).toBe('Reviewer');
  });

  it('stays when there is none, or when another program has the book there', async () => {
    expect(await carrySession(place('a', 'cv_old'), place('b', 'cv_new'))).toBe(false);
    await (await book('a', ['hermes'])).set('cv_old', { sessionId: 's1' });
    await (await book('b', ['claude'])).set('cv_other', { sessionId: 's9' });
    const before = await readFile(bookPath('b'), 'utf8');
    expect(await carrySession(place('a', 'cv_old'), place('b', 'cv_new'))).toBe(false);
    expect(await carrySession(place('a', 'cv_never'), place('c', 'cv_new'))).toBe(false);
    expect(await readFile(bookPath('b'), 'utf8')).toBe(before);
  });

  it('stays when a book cannot be read', async () => {
    await book('a', ['hermes']);
    await writeFile(bookPath('a'), '{"command": "her');
    expect(await carrySession(place('a', 'cv_old'), place('b', 'cv_new'))).toBe(false);
  });

  it('stays when a process runs there, which would not read of it', async () => {
    await (await book('a', ['hermes'])).set('cv_old', { sessionId: 's1' });
    const claim = await claimAgent(join(home, 'b', 'ag_1'));
    // To others this process is one that lives; to itself it is a leftover.
    await writeFile(join(home, 'b', 'ag_1', 'running.json'), JSON.stringify({ pid: process.ppid, since: '2026-01-01T00:00:00.000Z' }));
    expect(await carrySession(place('a', 'cv_old'), place('b', 'cv_new'))).toBe(false);
    await claim.release();
  });
});
