import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { ConversationInfo, ImportAnswer } from '../../../src/protocol/http.ts';
import { RelayError } from '../../core/errors.ts';
import type { RelayHttp } from '../../core/http.ts';
import { CommandError } from '../exit-codes.ts';
import { announcementId } from './carry.ts';
import { carryConversation } from './carry-conversation.ts';
import { MoveNote } from './move-note.ts';
import { MoveSide } from './move-side.ts';

const refusalOf = (code: string, status: number) => new RelayError({ code, message: `conversation: ${code}`, status, retryable: false });

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lineup-carry-'));
});
afterEach(() => rm(home, { recursive: true }));

const PHONE = { kind: 'app', id: 'dv_phone' } as const;
const said = (id: string, more: Partial<Delivered> = {}): Delivered => ({
  v: 1,
  id,
  type: 'text',
  sender: PHONE,
  ts: '2026-01-01T00:00:00Z',
  payload: { content: id },
  ...more,
});

/** A relay as one side of a move sees it, with the conversations of one agent. */
class Relay {
  readonly logs = new Map<string, Delivered[]>();
  readonly name: string;
  /** What the next imports are refused with. */
  refusals: RelayError[] = [];
  readonly afters: (number | undefined)[] = [];
  /** What happens just before the next import arrives. */
  meanwhile: (() => void) | undefined;
  /** Seq of the newest message that was imported. */
  #importedTo = new Map<string, number>();

  constructor(name: string) {
    this.name = name;
  }

  side(): MoveSide {
    const setup = { relay: `https://${this.name}.example`, agentId: `ag_${this.name}`, name: 'Hermes', token: '', state: join(home, this.name) };
    return new MoveSide(this.name, setup, this as unknown as RelayHttp);
  }

  say(conversation: string, ...ids: string[]): void {
    this.put(conversation, ...ids.map((id) => said(id)));
  }

  put(conversation: string, ...messages: Delivered[]): void {
    const log = this.logs.get(conversation) ?? [];
    for (const message of messages) log.push({ ...message, seq: log.length + 1 });
    this.logs.set(conversation, log);
  }

  ids(conversation: string): string[] {
    return (this.logs.get(conversation) ?? []).map(({ id }) => id);
  }

  info(conversation_id: string): ConversationInfo {
    return {
      conversation_id,
      title: 'Garden',
      created_at: conversation_id,
      last_message_at: null,
      head_seq: this.logs.get(conversation_id)?.length ?? 0,
    };
  }

  conversations = async () => [...this.logs.keys()].map((id) => this.info(id));
  createConversation = async () => {
    const id = `cv_${String(this.logs.size).padStart(16, '0')}`;
    this.say(id);
    return this.info(id);
  };
  renameConversation = async (id: string) => this.info(id);
  history = async (id: string, { after = 0 } = {}) => {
    const log = this.logs.get(id) ?? [];
    return { messages: log.filter(({ seq }) => (seq ?? 0) > after), head_seq: log.length, oldest_seq: 1, has_more: false };
  };
  importHistory = async (id: string, messages: Delivered[], after?: number): Promise<ImportAnswer> => {
    this.afters.push(after);
    const refused = this.refusals.shift();
    if (refused) throw refused;
    this.meanwhile?.();
    this.meanwhile = undefined;
    const head = this.ids(id).length;
    if (head !== (this.#importedTo.get(id) ?? 0) && head !== after) throw refusalOf('forbidden', 403);
    this.put(id, ...messages);
    const head_seq = head + messages.length;
    this.#importedTo.set(id, head_seq);
    return { imported: messages.length, known: 0, left_out: 0, head_seq, oldest_seq: 1 };
  };
}

const carry = (from: Relay, to: Relay, conversation: string) =>
  carryConversation({ from: from.side(), to: to.side(), old: from.info(conversation), owner: to });

/** Two relays; in a conversation of the first something was said. */
async function pair(): Promise<{ cloud: Relay; direct: Relay; old: string }> {
  const [cloud, direct] = [new Relay('cloud'), new Relay('direct')];
  const { conversation_id: old } = await cloud.createConversation();
  cloud.say(old, 'a', 'b');
  return { cloud, direct, old };
}

describe('a conversation that is carried', () => {
  it('comes back to where it was, and brings what is new each time', async () => {
    const { cloud, direct, old } = await pair();
    const { conversationId } = await carry(cloud, direct, old);
    direct.say(conversationId, 'c');
    expect((await carry(direct, cloud, conversationId)).conversationId).toBe(old);
    expect(cloud.ids(old)).toEqual(['a', 'b', 'c']);
    cloud.say(old, 'd');
    const again = await carry(cloud, direct, old);
    expect([again.conversationId, again.tally.moved]).toEqual([conversationId, 1]);
    expect(direct.ids(conversationId)).toEqual(['a', 'b', 'c', 'd']);
    expect((await carry(cloud, direct, old)).tally).toMatchObject({ moved: 0, already: 0 });
  });

  it('keeps what was said at both ends at once', async () => {
    const { cloud, direct, old } = await pair();
    const { conversationId } = await carry(cloud, direct, old);
    cloud.say(old, 'here');
    direct.say(conversationId, 'there');
    await carry(direct, cloud, conversationId);
    await carry(cloud, direct, old);
    await carry(direct, cloud, conversationId);
    expect(cloud.ids(old)).toEqual(['a', 'b', 'here', 'there']);
    expect(direct.ids(conversationId)).toEqual(['a', 'b', 'there', 'here']);
  });

  it('brings back what was said there while more was brought in', async () => {
    const { cloud, direct, old } = await pair();
    const { conversationId } = await carry(cloud, direct, old);
    cloud.say(old, 'c');
    direct.meanwhile = () => direct.say(conversationId, 'meanwhile');
    await carry(cloud, direct, old);
    expect(direct.ids(conversationId)).toEqual(['a', 'b', 'meanwhile', 'c']);
    await carry(direct, cloud, conversationId);
    expect(cloud.ids(old)).toEqual(['a', 'b', 'c', 'meanwhile']);
  });

  it('brings back what was said there after it was filled by a move that broke off', async () => {
    const { cloud, direct, old } = await pair();
    const { conversationId } = await carry(cloud, direct, old);
    await new MoveNote(cloud.side().setup, old, 'ag_direct').write({ conversationId, seq: 0, filled: false });
    await rm(join(home, 'direct'), { recursive: true });
    direct.say(conversationId, 'early');
    expect((await carry(cloud, direct, old)).conversationId).toBe(conversationId);
    await carry(direct, cloud, conversationId);
    expect(cloud.ids(old)).toEqual(['a', 'b', 'early']);
  });

  it('brings a question with the next move after it was answered', async () => {
    const { cloud, direct, old } = await pair();
    const sender = { kind: 'agent', id: 'ag_cloud' } as const;
    const question = said('question', { type: 'tool.call', sender, payload: { name: 'confirm', call_id: 'c1', arguments: {} } });
    cloud.put(old, question, said('c'));
    const { conversationId, tally } = await carry(cloud, direct, old);
    expect(tally).toMatchObject({ moved: 3, stayed: { open_calls: 1 } });
    cloud.logs.get(old)![2]!.settled = { status: 'completed', by: PHONE, at: '2026-01-01T00:00:00Z' };
    cloud.put(old, said('answer', { type: 'tool.result', payload: { name: 'confirm', call_id: 'c1', result: { message: 'confirmed' } } }));
    expect((await carry(cloud, direct, old)).tally).toMatchObject({ moved: 2, already: 1 });
    expect(direct.ids(conversationId)).toEqual(['a', 'b', 'c', 'question', 'answer']);
    expect((await carry(cloud, direct, old)).tally).toMatchObject({ moved: 0, already: 0 });
    expect((await carry(direct, cloud, conversationId)).tally).toMatchObject({ moved: 0, already: 0 });
  });

  it('keeps what the agent said under an id that only begins as a move would', async () => {
    const { cloud, direct, old } = await pair();
    const sender = { kind: 'agent', id: 'ag_cloud' } as const;
    cloud.put(old, said('moved_to_staging', { sender }), said(announcementId(), { sender }));
    const { conversationId } = await carry(cloud, direct, old);
    expect(direct.ids(conversationId)).toEqual(['a', 'b', 'moved_to_staging']);
  });

  it('goes into another one when somebody speaks before it is filled', async () => {
    const { cloud, direct, old } = await pair();
    direct.refusals.push(refusalOf('forbidden', 403));
    const failed = await carry(cloud, direct, old).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(CommandError);
    expect(String(failed)).toMatch(/direct \(https:\/\/direct\.example\): somebody has spoken in cv_0+ before it was filled/);
    direct.say(`cv_${'0'.repeat(16)}`, 'hello');
    const { conversationId } = await carry(cloud, direct, old);
    expect([conversationId, direct.ids(conversationId)]).toEqual([`cv_${'1'.padStart(16, '0')}`, ['a', 'b']]);
  });

  it('is made anew when it was deleted at the other end', async () => {
    const { cloud, direct, old } = await pair();
    direct.say('cv_aaaaaaaaaaaaaaaa', 'mine');
    const first = await carry(cloud, direct, old);
    direct.logs.delete(first.conversationId);
    direct.say('cv_bbbbbbbbbbbbbbbb', 'mine too');
    const second = await carry(cloud, direct, old);
    expect(second.conversationId).not.toBe(first.conversationId);
    expect(direct.ids(second.conversationId)).toEqual(['a', 'b']);
  });

  it('waits for a pause when somebody speaks where it comes back to', async () => {
    const { cloud, direct, old } = await pair();
    const { conversationId } = await carry(cloud, direct, old);
    direct.say(conversationId, 'c');
    cloud.refusals.push(refusalOf('forbidden', 403), refusalOf('forbidden', 403));
    await carry(direct, cloud, conversationId);
    expect(cloud.afters).toEqual([2, 2, 2]);
    expect(cloud.ids(old)).toEqual(['a', 'b', 'c']);
  });

  it('says so when the other relay knows no import', async () => {
    const { cloud, direct, old } = await pair();
    direct.refusals.push(refusalOf('not_found', 404));
    await expect(carry(cloud, direct, old)).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining('older than lineup') });
    expect((await carry(cloud, direct, old)).tally.moved).toBe(2);
  });
});

describe('what a side of a move advises', () => {
  it('is about the agent of that side', async () => {
    const refuse = () => Promise.reject(refusalOf('unauthorized', 401));
    await expect(new Relay('garden').side().ask(refuse)).rejects.toThrow(
      'garden (https://garden.example): the relay does not take this token: run "lineup --profile garden setup --renew"',
    );
  });
});
