import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { NodeSql } from '../../../test/support/node-sql.ts';
import { TidingsOutbox, type Letter } from './tidings-outbox.ts';

const letter = (title: string): Letter => ({
  kind: 'conversation',
  conversation: { conversation_id: 'cv', title, created_at: '' },
  change: 'renamed',
});
const titleOf = (sent: Letter): string => (sent.kind === 'conversation' ? (sent.conversation.title ?? '') : sent.kind);

/** A clock, a store, and conversations that hear when `hears` says so. */
function world(hears: (to: string) => boolean | Promise<boolean>) {
  const clock = { at: 1_000, now: () => clock.at };
  const sql = new NodeSql('directory');
  const heard = new Map<string, string[]>();
  const make = () =>
    new TidingsOutbox(sql, clock, async (to, sent) => {
      if (!(await hears(to))) throw new Error('not heard');
      heard.set(to, [...(heard.get(to) ?? []), titleOf(sent)]);
    });
  return { clock, sql, heard, make, outbox: make() };
}

describe('telling conversations', () => {
  it('keeps what was not heard, in order, and tells it again until it is', async () => {
    let open = false;
    const { clock, heard, outbox, make } = world((to) => to === 'near' || open);
    for (const to of ['near', 'far']) for (const title of ['1', '2']) outbox.put(to, letter(title));
    await outbox.deliver(['near', 'far']);
    expect(heard).toEqual(new Map([['near', ['1', '2']]]));
    const due = outbox.nextDueAt();
    expect(due).toBeGreaterThan(clock.at);
    open = true;
    await outbox.deliverDue();
    expect(heard.get('far')).toBeUndefined();
    clock.at = due ?? 0;
    await make().deliverDue();
    expect(heard.get('far')).toEqual(['1', '2']);
    expect(outbox.nextDueAt()).toBeNull();
  });

  it('waits longer after each failure, but never longer than five minutes', async () => {
    const { clock, outbox } = world(() => false);
    outbox.put('far', letter('1'));
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      await outbox.deliver(['far']);
      waits.push((outbox.nextDueAt() ?? 0) - clock.at);
      clock.at = outbox.nextDueAt() ?? 0;
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it('tells a conversation that goes away its end, and nothing from before it', async () => {
    let release: (() => void) | undefined;
    const { heard, outbox } = world(() => new Promise((resolve) => (release = () => resolve(true))));
    outbox.put('far', letter('under way'));
    outbox.put('far', letter('never'));
    const first = outbox.deliver(['far']);
    await new Promise(setImmediate);
    outbox.drop('far');
    outbox.put('far', { kind: 'deleted' });
    const second = outbox.deliver(['far']);
    release?.();
    await new Promise(setImmediate);
    release?.();
    await Promise.all([first, second]);
    expect(heard.get('far')).toEqual(['under way', 'deleted']);
  });

  test.prop(
    [fc.scheduler(), fc.array(fc.record({ to: fc.constantFrom('a', 'b', 'c'), again: fc.boolean() }), { maxLength: 30 }), fc.array(fc.boolean())],
    {
      numRuns: 100,
    },
  )('whatever fails and whoever hurries, each conversation hears everything in order', async (scheduler, changes, fates) => {
    let call = 0;
    const { clock, heard, outbox, make } = world((to) => scheduler.schedule(Promise.resolve(fates[call++] ?? true), to));
    const told = new Map<string, string[]>();
    const deliveries: Promise<void>[] = [];
    for (const [index, { to, again }] of changes.entries()) {
      outbox.put(to, letter(String(index)));
      told.set(to, [...(told.get(to) ?? []), String(index)]);
      deliveries.push(outbox.deliver([to]));
      if (again) deliveries.push(outbox.deliver(['a', 'b', 'c']));
      if (scheduler.count() > 0) await scheduler.waitNext(1);
    }
    await scheduler.waitIdle();
    await Promise.all(deliveries);
    // Eviction: the rest is told by an outbox that knows nothing but the storage.
    const later = make();
    for (let due = later.nextDueAt(); due !== null; due = later.nextDueAt()) {
      clock.at = due;
      const delivery = later.deliverDue();
      await scheduler.waitIdle();
      await delivery;
    }
    expect(heard).toEqual(told);
  });
});
