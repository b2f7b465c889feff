import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { ImportAnswer } from '../../../src/protocol/http.ts';
import { RelayError } from '../../core/errors.ts';
import { announcementId } from './carry.ts';
import { moveHistory, presentAt, type MoveEnd, type MoveTally } from './move-history.ts';
import { sentencesOf } from './report.ts';

const AGENT = { kind: 'agent', id: 'ag_there' } as const;
const PHONE = { kind: 'app', id: 'dv_phone' } as const;

/** A relay that has one conversation, as far as a move sees it. */
class Shelf {
  readonly log: Delivered[] = [];
  readonly files = new Map<string, Blob>();
  maxFileBytes = 1_000;
  /** So many calls go well, then one fails. */
  luck = Number.POSITIVE_INFINITY;

  end(): MoveEnd {
    return {
      conversationId: 'cv_any',
      http: {
        history: async (_id, { after = 0, limit = 50 } = {}) => {
          this.#call();
          const rest = this.log.filter(({ seq }) => (seq ?? 0) > after);
          return { messages: rest.slice(0, limit), head_seq: this.log.length, oldest_seq: 1, has_more: rest.length > limit };
        },
        download: async (_id, fileId) => {
          this.#call();
          const file = this.files.get(fileId);
          if (!file) throw new RelayError({ code: 'not_found', message: 'file: gone', status: 404, retryable: false });
          return file;
        },
        upload: async (_id, content) => {
          this.#call();
          const file = new Blob([content]);
          if (file.size > this.maxFileBytes) throw new RelayError({ code: 'frame_too_large', message: 'body: x', status: 413, retryable: false });
          const file_id = `fl_new${this.files.size}`;
          this.files.set(file_id, file);
          return { file_id, url: `/files/${file_id}`, size: file.size, sha256: '' };
        },
      },
    };
  }

  bring = async (messages: Delivered[]): Promise<ImportAnswer> => {
    this.#call();
    for (const message of messages) this.put(message);
    return { imported: messages.length, known: 0, left_out: 0, head_seq: this.log.length, oldest_seq: 1 };
  };

  put(message: Delivered): void {
    this.log.push({ ...message, seq: this.log.length + 1 });
  }

  #call(): void {
    if (this.luck-- <= 0) throw new Error('the line broke');
  }
}

let made = 0;
const message = (type: string, payload: Delivered['payload'], more: Partial<Delivered> = {}): Delivered => ({
  v: 1,
  id: `m${made++}`,
  type,
  sender: AGENT,
  ts: '2026-01-01T00:00:00.000Z',
  payload,
  ...more,
});

async function moved(from: Shelf, to: Shelf, since = 0): Promise<MoveTally> {
  return (await moveHistory({ from: from.end(), to: to.end(), since, present: await presentAt(to.end()), bring: to.bring })).tally;
}

describe('moving a history', () => {
  it('copies a file once, however often it is spoken of, and speaks of it by its new name', async () => {
    const [from, to] = [new Shelf(), new Shelf()];
    from.files.set('fl_old', new Blob(['12345']));
    from.put(message('image', { url: '/files/fl_old', file_id: 'fl_old', alt: 'A' }));
    from.put(message('file', { file_id: 'fl_old', name: 'a.txt', mime_type: 'text/plain', size: 5 }));
    from.put(message('image', { url: 'https://example.org/a.png' }));
    expect(await moved(from, to)).toMatchObject({ moved: 3, files: 1, bytes: 5 });
    expect(to.log.map(({ payload }) => payload)).toEqual([
      { url: '/files/fl_new0', file_id: 'fl_new0', alt: 'A' },
      { file_id: 'fl_new0', name: 'a.txt', mime_type: 'text/plain', size: 5 },
      { url: 'https://example.org/a.png' },
    ]);
  });

  it('leaves what is open, and what it cannot have, and counts them', async () => {
    const [from, to] = [new Shelf(), new Shelf()];
    from.files.set('fl_large', new Blob(['x'.repeat(2_000)]));
    const settled = { status: 'completed', by: PHONE, at: '2026-01-01T00:00:00.000Z' };
    from.put(message('tool.call', { call_id: 'open' }));
    from.put(message('lineup.v1.app.call', { call_id: 'done' }, { settled }));
    for (const type of ['open', 'patch', 'close']) from.put(message(`lineup.v1.ui.${type}`, { instance_id: 's1' }));
    for (const file_id of ['fl_large', 'fl_gone', 'fl_gone']) from.put(message('file', { file_id }));
    from.put(message('from.tomorrow', {}));
    expect(await moved(from, to)).toMatchObject({ moved: 1, files: 0, stayed: { open_calls: 1, surfaces: 1, files: 3, unknown: 1 } });
    expect(to.log).toMatchObject([{ type: 'lineup.v1.app.call', settled }]);
  });

  it('begins behind what went before, leaves what a move said of itself, and says how far it came', async () => {
    const [from, to] = [new Shelf(), new Shelf()];
    for (const id of ['a', 'b', announcementId(), 'c']) from.put(message('text', { content: id }, { id }));
    const present = await presentAt(to.end());
    const { tally, doneTo, head } = await moveHistory({ from: from.end(), to: to.end(), since: 1, present, bring: to.bring });
    expect([tally.moved, doneTo, head]).toEqual([2, 4, 2]);
    expect(to.log.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(await presentAt(from.end())).toMatchObject({ head: 4, oldest: 1, spoken: 4 });
    from.put(message('text', { content: 'x' }, { id: announcementId() }));
    expect(await presentAt(from.end())).toMatchObject({ head: 5, spoken: 4 });
  });

  it('knows where a conversation stands of which the relay has let go of everything', async () => {
    const gone = new Shelf().end();
    gone.http.history = async () => ({ messages: [], head_seq: 128, oldest_seq: 129, has_more: false });
    expect(await presentAt(gone)).toMatchObject({ head: 128, oldest: 129, spoken: 0 });
  });

  it('brings everything once and in order, wherever it breaks off and is begun again', async () => {
    const kinds = fc.constantFrom('text', 'file', 'call', 'surface');
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 350 }), fc.array(fc.nat(40), { maxLength: 6 }), async (story, breaks) => {
        const [from, to] = [new Shelf(), new Shelf()];
        from.files.set('fl_a', new Blob(['a']));
        for (const [i, kind] of story.entries()) {
          const sender = i % 3 ? AGENT : PHONE;
          if (kind === 'text') from.put(message('text', { content: String(i) }, { sender }));
          if (kind === 'file') from.put(message('file', { file_id: 'fl_a', name: 'a', mime_type: 'a/b', size: 1 }, { sender }));
          if (kind === 'call') from.put(message('tool.call', { call_id: `c${i}` }));
          if (kind === 'surface') from.put(message('lineup.v1.ui.open', { instance_id: `s${i}` }));
        }
        for (const luck of breaks) {
          to.luck = luck;
          await moved(from, to).catch(() => undefined);
          to.luck = Number.POSITIVE_INFINITY;
        }
        const { moved: now, already } = await moved(from, to);
        const expected = from.log.filter(({ type }) => type === 'text' || type === 'file').map(({ id }) => id);
        expect(to.log.map(({ id }) => id)).toEqual(expected);
        expect(now + already).toBe(expected.length);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the report', () => {
  const nothing: MoveTally = {
    moved: 0,
    already: 0,
    files: 0,
    bytes: 0,
    trimmed: 0,
    stayed: { open_calls: 0, surfaces: 0, files: 0, unknown: 0, stray: 0 },
  };

  it('says what went, and of what stayed only what there was', () => {
    expect(sentencesOf({ ...nothing, moved: 1 })).toEqual(['1 message moved']);
    expect(sentencesOf({ ...nothing, moved: 2, already: 100 })).toEqual(['2 messages moved; 100 had been there before']);
    expect(sentencesOf({ ...nothing, moved: 12, files: 2, bytes: 3_400_000, trimmed: 64, stayed: { ...nothing.stayed, open_calls: 2 } })).toEqual([
      '12 messages moved, with 2 files (3.2 MiB)',
      'Not moved: 2 questions that nobody has answered yet; the old conversation still takes the answer',
      'Of the oldest messages 64 are beyond what the other relay keeps: it has let go of them',
    ]);
  });
});
