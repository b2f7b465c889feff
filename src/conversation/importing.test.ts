/** A history of another relay, taken in by a conversation that nobody has spoken in. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { disagreements, flaws } from '../../test/model/integrity.ts';
import { KINDS } from '../../test/support/calls.ts';
import { AGENT, OPENS_AT, PHONE, Room, type Seen, TABLET } from '../../test/support/room.ts';
import type { ImportAnswer } from '../protocol/http.ts';
import type { JsonObject } from '../protocol/json.ts';
import { historyPage } from './history.ts';
import { importHistory } from './importing.ts';

const DAY = 86_400_000;
const THERE = { kind: 'agent', id: 'ag_zzzzzzzzzzzzzzzz' };
const OLD_PHONE = { kind: 'app', id: 'dv_zzzzzzzzzzzzzzzz' };

let made = 0;
/** A message as another relay's history tells it. */
function said(sender: JsonObject, type: string, payload: JsonObject, more: JsonObject = {}): JsonObject {
  made++;
  return {
    v: 1,
    id: `x${made}`,
    type,
    conversation_id: 'cv_zzzzzzzzzzzzzzzz',
    sender,
    seq: made,
    ts: new Date(OPENS_AT - 30 * DAY + made * 1_000).toISOString(),
    payload,
    ...more,
  };
}

function bring(room: Room, messages: unknown, after?: number): ReturnType<typeof importHistory> {
  return importHistory(room.conversation, JSON.stringify({ messages, after }), room.now);
}

function brought(room: Room, messages: unknown, after?: number): ImportAnswer {
  const answer = bring(room, messages, after);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

function refusedWith(room: Room, messages: unknown): string {
  const answer = bring(room, messages);
  return answer.ok ? 'taken in' : `${answer.error.code} ${answer.error.message}`;
}

/** Everything that a participant sees, page by page. */
function history(room: Room, who = AGENT): Seen[] {
  const all: Seen[] = [];
  for (let after = 0, more = true; more;) {
    const page = JSON.parse(historyPage(room.ledger, who, { after, limit: 100 })) as { messages: Seen[]; has_more: boolean };
    all.push(...page.messages);
    after = all.at(-1)?.seq ?? after;
    more = page.has_more;
  }
  return all;
}

const ended = (status: string, by: JsonObject, at = OPENS_AT - DAY) => ({ settled: { status, by, at: new Date(at).toISOString() } });
const question = (callId: string) => ({ name: 'confirm', action: 'ask', call_id: callId, arguments: { question: 'Deploy?' } });
const answer = (callId: string) => ({ name: 'confirm', action: 'ask', call_id: callId, result: { message: 'confirmed', confirmed: true } });

describe('an import', () => {
  it('keeps who said what when, under the same ids, with the agent of here for the agent of there', () => {
    const room = new Room();
    const messages = [
      said(OLD_PHONE, 'text', { content: 'Hello' }),
      said(THERE, 'text', { content: 'Hi', format: 'markdown', unknown: [1] }),
      said(OLD_PHONE, 'run.cancel', {}, { target: THERE }),
      said(THERE, 'error', { code: 'oops', message: 'It broke' }),
    ];
    expect(brought(room, messages)).toEqual({ imported: 4, known: 0, left_out: 0, head_seq: 4, oldest_seq: 1 });
    const seen = history(room);
    expect(seen.map(({ id, ts, payload }) => ({ id, ts, payload }))).toEqual(messages.map(({ id, ts, payload }) => ({ id, ts, payload })));
    expect(seen.map(({ sender }) => sender)).toEqual([OLD_PHONE, AGENT, OLD_PHONE, AGENT]);
    expect(seen.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(seen[2]).toMatchObject({ target: AGENT, conversation_id: room.ledger.meta.conversationId });
    // A device of here sees what the user saw; what was for the agent alone stays so.
    expect(history(room, PHONE).map(({ type }) => type)).toEqual(['text', 'text', 'error']);
  });

  it('shows what was for one device alone to that device and the agent alone', () => {
    const room = new Room();
    brought(room, [
      said(THERE, 'text', { content: 'For a phone of there' }, { target: OLD_PHONE }),
      said(THERE, 'text', { content: 'For a phone that is here too' }, { target: { ...PHONE } }),
    ]);
    const contents = (who = AGENT) => history(room, who).map(({ payload }) => payload.content);
    expect(contents()).toHaveLength(2);
    expect(contents(PHONE)).toEqual(['For a phone that is here too']);
    expect(contents(TABLET)).toEqual([]);
  });

  it('brings calls as over: nobody is asked, and whoever asks the same again has the answer', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    brought(room, [
      said(THERE, 'tool.call', question('c1'), ended('completed', OLD_PHONE)),
      said(OLD_PHONE, 'tool.result', answer('c1')),
      said(THERE, 'tool.call', question('c2'), ended('cancelled', THERE)),
      said(THERE, 'tool.cancel', { call_id: 'c2' }),
      said({ kind: 'relay' }, 'tool.result', { name: 'confirm', action: 'ask', call_id: 'c2', error: { code: 'cancelled', message: 'x' } }),
    ]);
    expect(phone.of('tool.call').map(({ settled }) => settled)).toMatchObject([
      { status: 'completed', by: OLD_PHONE },
      { status: 'cancelled', by: AGENT },
    ]);
    const late = await room.join(PHONE);
    expect(late.of('system.welcome')[0]!.payload.pending_calls).toEqual([]);
    expect(late.of('tool.call')).toEqual([]);
    expect(await room.ask(agent, 'tool.call', question('c1'))).toMatchObject({ seq: 1, duplicate: true });
    expect(agent.of('tool.result')[0]).toMatchObject({ seq: 2, payload: answer('c1') });
    expect(await room.ask(phone, 'tool.result', answer('c2'))).toMatchObject({ code: 'already_settled' });
    expect(room.ledger.calls.audit(10)).toMatchObject([
      { call_id: 'c2', status: 'cancelled' },
      { call_id: 'c1', status: 'completed', asked_by: { id: AGENT.id }, settled_by: OLD_PHONE },
    ]);
    expect([...flaws(room), ...disagreements(room)]).toEqual([]);
  });

  it('shows no device a call that had ended as it began', () => {
    const room = new Room();
    const at = OPENS_AT - 30 * DAY;
    brought(room, [said(THERE, 'tool.call', question('c1'), { ...ended('unsupported', { kind: 'relay' }, at), ts: new Date(at).toISOString() })]);
    expect([history(room).length, history(room, PHONE).length]).toEqual([1, 0]);
  });

  it('keeps of edits the newest, for who saw the text', () => {
    const room = new Room();
    const text = said(THERE, 'text', { content: 'first' }, { target: OLD_PHONE });
    const edits = ['second', 'third'].map((content) => said(THERE, 'text.edit', { message_id: text.id!, content }));
    brought(room, [text, ...edits]);
    expect(history(room).map(({ payload }) => payload.content)).toEqual(['first', 'third']);
    expect(history(room, PHONE)).toEqual([]);
    expect(brought(room, [text, ...edits])).toMatchObject({ imported: 0, known: 3 });
    expect([...flaws(room), ...disagreements(room)]).toEqual([]);
  });

  it('leaves out what is about something that is not here', () => {
    const room = new Room();
    const stray = [said(THERE, 'text.edit', { message_id: 'gone', content: 'x' }), said(THERE, 'tool.cancel', { call_id: 'gone' })];
    expect(brought(room, stray)).toEqual({ imported: 0, known: 0, left_out: 2, head_seq: 0, oldest_seq: 1 });
  });

  it.each<[string, JsonObject[]]>([
    ['of a call that is not here', []],
    ['of a call of the other kind', [said(THERE, 'lineup.v1.app.call', KINDS.app.asked('c1'), ended('completed', OLD_PHONE))]],
  ])('leaves out a result %s', (_, before) => {
    const room = new Room();
    expect(brought(room, [...before, said(OLD_PHONE, 'tool.result', answer('c1'))])).toMatchObject({ imported: before.length, left_out: 1 });
    expect(history(room).map(({ type }) => type)).toEqual(before.map(({ type }) => type));
  });

  it('leaves out how a call ended elsewhere that waits here, or has ended here', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.ask(agent, 'tool.call', question('c1'));
    const endings = () => [said(OLD_PHONE, 'tool.result', answer('c1')), said(THERE, 'tool.cancel', { call_id: 'c1' })];
    expect(brought(room, endings(), 1)).toMatchObject({ imported: 0, left_out: 2, head_seq: 1 });
    await room.ask(phone, 'tool.result', answer('c1'));
    expect(brought(room, endings(), 2)).toMatchObject({ imported: 0, left_out: 2, head_seq: 2 });
    expect(history(room)).toMatchObject([
      { type: 'tool.call', sender: AGENT },
      { type: 'tool.result', sender: PHONE },
    ]);
    expect([...flaws(room), ...disagreements(room)]).toEqual([]);
  });

  it('leaves out that a call was cancelled which was answered', () => {
    const room = new Room();
    const call = said(THERE, 'tool.call', question('c1'), ended('completed', OLD_PHONE));
    expect(brought(room, [call, said(THERE, 'tool.cancel', { call_id: 'c1' })])).toMatchObject({ imported: 1, left_out: 1 });
  });

  it('of nothing new leaves it so that somebody has spoken here', async () => {
    const room = new Room();
    const message = said(THERE, 'text', { content: 'there' });
    brought(room, [message]);
    await room.send(await room.join(PHONE), 'text', { content: 'here' });
    expect(brought(room, [message], 2)).toMatchObject({ imported: 0, known: 1 });
    expect(refusedWith(room, [said(THERE, 'text', { content: 'more' })])).toMatch(/^forbidden /);
  });

  it('goes on where it broke off, and after somebody spoke only for who knows what was said', async () => {
    const room = new Room();
    const messages = Array.from({ length: 5 }, (_, i) => said(i % 2 ? THERE : OLD_PHONE, 'text', { content: `${i}` }));
    brought(room, messages.slice(0, 3));
    room.crash();
    expect(brought(room, messages)).toMatchObject({ imported: 2, known: 3, head_seq: 5 });
    const phone = await room.join(PHONE);
    await room.send(phone, 'text', { content: 'Now here' });
    expect(refusedWith(room, messages)).toMatch(/^forbidden conversation: somebody has spoken here/);
    const more = said(THERE, 'text', { content: 'And there' });
    expect(bring(room, [more], 5)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(brought(room, [...messages, more], 6)).toMatchObject({ imported: 1, known: 5, head_seq: 7 });
    expect(brought(room, [said(THERE, 'text', { content: 'and more' })])).toMatchObject({ imported: 1, head_seq: 8 });
    expect(history(room).map(({ payload }) => payload.content)).toEqual(['0', '1', '2', '3', '4', 'Now here', 'And there', 'and more']);
  });

  it('stores nothing of a batch that the disk has no room for, and all of it later', () => {
    const room = new Room();
    const messages = [said(OLD_PHONE, 'text', { content: 'a' }), said(THERE, 'text', { content: 'b' })];
    room.sql.failCommitWith = new Error('SQLITE_FULL: database or disk is full');
    expect(refusedWith(room, messages)).toMatch(/^storage_full /);
    expect(history(room)).toEqual([]);
    expect(brought(room, messages)).toMatchObject({ imported: 2, known: 0 });
  });

  it('takes a time that lies ahead of its clock for now', () => {
    const room = new Room();
    brought(room, [said(THERE, 'text', { content: 'x' }, { ts: '2099-01-01T00:00:00Z' })]);
    expect(history(room)[0]!.ts).toBe(new Date(OPENS_AT).toISOString());
  });

  it.each<[string, JsonObject[], string]>([
    ['no messages', [], 'invalid_payload body.messages: '],
    ['no sender', [{ ts: '2026-01-01T00:00:00Z' }], 'invalid_payload body.messages[0].sender: '],
    ['a sender that is no device', [said({ kind: 'app', id: 'x' }, 'text', { content: 'x' })], 'invalid_payload body.messages[0].sender.id: '],
    ['no time', [said(THERE, 'text', { content: 'x' }, { ts: 'yesterday' })], 'invalid_payload body.messages[0].ts: '],
    ['a bad id', [said(THERE, 'text', { content: 'x' }, { id: 'a b' })], 'invalid_envelope body.messages[0].id: '],
    [
      'a bad payload',
      [said(THERE, 'text', { content: 'x' }), said(THERE, 'text', { content: '' })],
      'invalid_payload body.messages[1].payload.content: ',
    ],
    ['a surface', [said(THERE, 'lineup.v1.ui.close', { instance_id: 'i' })], 'unsupported_type body.messages[0].type: '],
    ['a kept value', [said(THERE, 'status', { state: 'idle' })], 'unsupported_type body.messages[0].type: '],
    ['a control frame', [said(THERE, 'system.ping', {})], 'unsupported_type body.messages[0].type: '],
    ['the wrong way', [said(OLD_PHONE, 'error', { code: 'x', message: 'x' })], 'wrong_direction body.messages[0].type: '],
    ['words of a relay', [said({ kind: 'relay' }, 'text', { content: 'x' })], 'wrong_direction body.messages[0].type: '],
    ['a call that waits', [said(THERE, 'tool.call', question('c'))], 'invalid_payload body.messages[0].settled: '],
    [
      'a file of elsewhere',
      [said(THERE, 'file', { file_id: 'fl_1', name: 'a', mime_type: 'a/b', size: 1 })],
      'invalid_payload body.messages[0].payload.file_id: ',
    ],
    ['a text that is too long', [said(THERE, 'text', { content: 'x'.repeat(70_000) })], 'invalid_payload body.messages[0].payload.content: '],
    ['a frame that is too large', [said(THERE, 'error', { code: 'x', message: 'x'.repeat(300_000) })], 'frame_too_large body.messages[0].frame: '],
  ])('refuses all of a batch with %s, and says where', (_, messages, expected) => {
    const room = new Room();
    expect(refusedWith(room, messages).slice(0, expected.length)).toBe(expected);
    expect([history(room), room.ledger.meta.importedTo]).toEqual([[], 0]);
  });

  it('refuses what is no JSON, or holds what no frame may hold', () => {
    const room = new Room();
    const take = (body: string) => importHistory(room.conversation, body, room.now);
    expect(take('{')).toMatchObject({ ok: false, error: { code: 'invalid_json' } });
    const around = (payload: string) => take(`{"messages":[${JSON.stringify(said(THERE, 'text', { a: 'HERE' })).replace('{"a":"HERE"}', payload)}]}`);
    expect(around('{"content":"x","n":1e400}')).toMatchObject({ ok: false, error: { code: 'invalid_payload' } });
    expect(around('{"content":"x","__proto__":1}')).toMatchObject({ ok: false, error: { code: 'invalid_payload' } });
  });
});

describe('an agent', () => {
  it('is not sent what was imported, whether it is there or comes later; a device is', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    brought(room, [said(OLD_PHONE, 'text', { content: 'old question' }), said(OLD_PHONE, 'text', { content: 'another' })]);
    const late = await room.join(AGENT, room.resume(0));
    const fresh = await room.join({ ...TABLET }, room.resume(0));
    await room.send(phone, 'text', { content: 'new question' });
    expect(agent.logged()).toEqual([]);
    expect(late.logged().map(({ payload }) => payload.content)).toEqual(['new question']);
    expect(late.of('system.welcome')[0]!.payload).toMatchObject({ resumed: true, gap: false, head_seq: 2 });
    expect(late.of('system.synced')[0]!.payload).toEqual({ seq: 2 });
    expect(phone.seqs()).toEqual([1, 2]);
    expect(fresh.seqs()).toEqual([1, 2, 3]);
  });

  it('gets what is said around an import, and not the import', async () => {
    const room = new Room();
    const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
    await room.send(phone, 'text', { content: 'before' });
    brought(room, [said(OLD_PHONE, 'text', { content: 'there' })], 1);
    await room.send(phone, 'text', { content: 'after' });
    brought(room, [said(OLD_PHONE, 'text', { content: 'there again' })], 3);
    const late = await room.join(AGENT, room.resume(1));
    expect([agent.seqs(), late.seqs()]).toEqual([[1, 3], [3]]);
    expect((await room.join(TABLET, room.resume(0))).seqs()).toEqual([1, 2, 3, 4]);
  });

  it('has its whole window after an import, also when the conversation has slept', async () => {
    const room = new Room({ window_bytes: 2_000 });
    const agent = await room.join(AGENT, room.resume(0));
    brought(
      room,
      Array.from({ length: 50 }, () => said(OLD_PHONE, 'text', { content: 'x'.repeat(200) })),
    );
    room.hibernate();
    const phone = await room.join(PHONE);
    for (let i = 0; i < 3; i++) await room.send(phone, 'text', { content: `new ${i}` });
    expect(agent.logged().map(({ payload }) => payload.content)).toEqual(['new 0', 'new 1', 'new 2']);
  });
});

describe('retention of what was imported', () => {
  it('goes by the time of the message, not of the import', () => {
    const room = new Room({ retain_days: 40 });
    brought(
      room,
      Array.from({ length: 64 }, (_, i) => said(OLD_PHONE, 'text', { content: `${i}` }, { ts: new Date(OPENS_AT - 39 * DAY).toISOString() })),
    );
    brought(room, [said(THERE, 'text', { content: 'young' }, { ts: new Date(OPENS_AT - DAY).toISOString() })]);
    expect(room.ledger.log.lastAt()).toBe(OPENS_AT - DAY);
    room.pass(DAY);
    expect(history(room).map(({ payload }) => payload.content)).toEqual(['young']);
    room.pass(38 * DAY);
    expect(history(room)).toEqual([]);
  });

  it('keeps a young message that stands before an old one', () => {
    const room = new Room({ retain_days: 10 });
    const times = [1, 20];
    brought(
      room,
      times.map((days) => said(OLD_PHONE, 'text', { content: `${days}` }, { ts: new Date(OPENS_AT - days * DAY).toISOString() })),
    );
    expect(history(room)).toHaveLength(2);
  });

  it('takes at once what is beyond the limits, and says where the log begins now', () => {
    const room = new Room({ retain_messages: 10 });
    const messages = Array.from({ length: 90 }, (_, i) => said(OLD_PHONE, 'text', { content: `${i}` }));
    expect(brought(room, messages)).toMatchObject({ imported: 90, head_seq: 90, oldest_seq: 65 });
    expect(flaws(room)).toEqual([]);
  });
});

/** One thing that happens in the conversation that is moved. */
const event = fc.oneof(
  fc.record({ do: fc.constant('text' as const), by: fc.constantFrom('agent', 'phone'), words: fc.string({ unit: 'grapheme', minLength: 1 }) }),
  fc.record({ do: fc.constant('edit' as const), of: fc.nat(20), words: fc.string({ minLength: 1 }) }),
  fc.record({ do: fc.constantFrom('ask' as const, 'answer' as const, 'cancel' as const), call: fc.nat(5) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.nat(3 * DAY) }),
);

describe('whatever was said', () => {
  it('is the same history at the other relay, in whatever pieces and however often it comes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 120 }),
        fc.array(fc.record({ size: fc.integer({ min: 1, max: 40 }), again: fc.boolean(), crash: fc.boolean() }), { minLength: 1, maxLength: 8 }),
        async (story, pieces) => {
          const source = new Room();
          await tell(source, story);
          const moved = history(source).filter(({ type, settled }) => !type.endsWith('.call') || settled !== undefined);
          const target = new Room();
          target.now = source.now + DAY;
          for (let from = 0, piece = 0; from < moved.length; piece++) {
            const { size, again, crash } = pieces[piece % pieces.length]!;
            const batch = moved.slice(from, from + size);
            expect(brought(target, batch)).toMatchObject({ imported: batch.length, left_out: 0 });
            if (again) expect(brought(target, batch)).toMatchObject({ imported: 0, known: batch.length });
            if (crash) target.crash();
            from += size;
          }
          const bare = (room: Room, who = AGENT) => history(room, who).map(({ seq: _seq, ...rest }) => rest);
          expect(bare(target)).toEqual(moved.map(({ seq: _seq, ...rest }) => rest));
          const seenThere = new Set(moved.map(({ id }) => id));
          expect(bare(target, TABLET)).toEqual(bare(source, TABLET).filter(({ id }) => seenThere.has(id)));
          expect([...flaws(target), ...disagreements(target)]).toEqual([]);
          expect(target.ledger.calls.pendingCount).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function tell(room: Room, story: readonly (typeof event extends fc.Arbitrary<infer E> ? E : never)[]): Promise<void> {
  const [agent, phone] = [await room.join(AGENT), await room.join(PHONE)];
  const texts: string[] = [];
  for (const step of story) {
    if (step.do === 'text' && step.by === 'agent') texts.push(await room.send(agent, 'text', { content: step.words }));
    else if (step.do === 'text') await room.send(phone, 'text', { content: step.words });
    else if (step.do === 'edit' && texts.length > 0) {
      await room.send(agent, 'text.edit', { message_id: texts[step.of % texts.length]!, content: step.words });
    } else if (step.do === 'ask') await room.send(agent, 'tool.call', question(`c${step.call}`));
    else if (step.do === 'answer') await room.send(phone, 'tool.result', answer(`c${step.call}`));
    else if (step.do === 'cancel') await room.send(agent, 'tool.cancel', { call_id: `c${step.call}` });
    else if (step.do === 'pass') room.pass(step.ms);
  }
}
