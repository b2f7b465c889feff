import { describe, expect, it } from 'vitest';
import type { CapabilityName } from '../../../src/protocol/capabilities.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { LocalStore } from '../store/local-store.ts';
import { settled } from '../store/testing.ts';
import { CoolDown, COOL_DOWN_MS } from './cool-down.ts';
import type { Caller, DeskParts } from './desk-parts.ts';
import { ASLEEP_MS, CapabilityDesk } from './desk.ts';
import { TabExclusion } from './exclusion.ts';
import { NeedsTap, type HandlerContext } from './handler.ts';
import { MemoryJournal } from './journal.ts';
import { completed, type Outcome } from './outcome.ts';
import { CapabilityPolicy } from './policy.ts';
import type { AppResult } from './request.ts';
import { memoryStorage } from './testing/stand-ins.ts';

/** A journal that outlives the page, as the desk sees it. */
class LastingJournal extends MemoryJournal {
  override readonly durable = true;
}

function rig(change: Partial<DeskParts> = {}) {
  const local = new LocalStore(memoryStorage());
  const clock = { now: 0 };
  const journal = new LastingJournal();
  const policy = new CapabilityPolicy(local, () => true);
  const coolDown = new CoolDown(local, () => clock.now);
  const ran: { name: string; arguments: object }[] = [];
  const faults: unknown[] = [];
  const contexts: HandlerContext[] = [];
  const next: { outcome: Outcome | Error | Promise<Outcome> } = { outcome: completed('clipboard.write', { written: true }) };
  const desk = new CapabilityDesk({
    journal,
    exclusion: new TabExclusion(),
    policy,
    coolDown,
    run: (call, context) => {
      contexts.push(context);
      if (next.outcome instanceof Error) return Promise.reject(next.outcome);
      ran.push(call);
      return Promise.resolve(next.outcome);
    },
    show: () => true,
    announce: () => undefined,
    clock: () => clock.now,
    fault: (error) => faults.push(error),
    schedule: (run) => run(),
    ...change,
  });
  const results: AppResult[] = [];
  const caller = (agent = 'relay|ag_1', conversationId = 'cv_1'): Caller => ({
    conversationId,
    agent,
    agentName: () => agent,
    files: { upload: () => Promise.resolve(null), download: () => Promise.resolve(null) },
    isPending: (callId) => !results.some(({ call_id }) => call_id === callId),
    answer: (result) => Promise.resolve(void results.push(result)),
  });
  const ask = async (
    callId: string,
    capability: string = 'clipboard.write',
    args: JsonObject = { text: callId },
    from = caller(),
    silent = false,
  ) => {
    void desk.take(from, { call_id: callId, capability, reason: 'why', arguments: args }, silent);
    await settled();
  };
  const question = () => desk.view.get().question;
  const hash = () => question()?.request.hash ?? '';
  const allow = async (remember = false) => {
    clock.now += ASLEEP_MS;
    void desk.allow(hash(), remember);
    await settled();
  };
  return { desk, policy, coolDown, journal, local, clock, ran, faults, contexts, next, results, caller, ask, question, hash, allow };
}

describe('one question at a time', () => {
  it('the others wait in order and are counted', async () => {
    const { ask, desk, question, allow, results } = rig();
    await ask('c1');
    await ask('c2');
    await ask('c3', 'device.location', {}, rig().caller('relay|ag_2', 'cv_2'));
    expect([question()?.request.callId, desk.view.get().waiting]).toEqual(['c1', 2]);
    await allow();
    expect([question()?.request.callId, desk.view.get().waiting]).toEqual(['c2', 1]);
    expect(results.map(({ call_id, status }) => `${call_id} ${status}`)).toEqual(['c1 completed']);
  });

  it('each sleeps from the moment it is on the screen, and again after the page was looked away from', async () => {
    const { ask, desk, clock, hash, ran } = rig();
    await ask('c1');
    await desk.allow(hash(), false);
    clock.now = ASLEEP_MS - 1;
    await desk.allow(hash(), false);
    expect(ran).toEqual([]);
    desk.rearm();
    clock.now += ASLEEP_MS - 1;
    await desk.allow(hash(), false);
    expect(ran).toEqual([]);
    clock.now += 1;
    await desk.allow(hash(), false);
    expect(ran).toHaveLength(1);
  });

  it('an answer is for what was seen: another hash answers nothing', async () => {
    const { ask, desk, clock, hash, question, ran, results } = rig();
    await ask('c1');
    const seen = hash();
    desk.settled('cv_1', 'c1');
    await ask('c2');
    clock.now = 10_000;
    await desk.allow(seen, false);
    await desk.decline(seen);
    await desk.dismiss(seen);
    expect(question()?.request.callId).toBe('c2');
    expect([ran, results]).toEqual([[], []]);
  });

  it('executes the arguments that were frozen, whatever becomes of the object they came in', async () => {
    const { ask, allow, ran } = rig();
    const args = { text: 'shown' };
    await ask('c1', 'clipboard.write', args);
    args.text = 'changed';
    await allow();
    expect(ran).toEqual([{ name: 'clipboard.write', arguments: { text: 'shown' } }]);
  });

  it('the same call again is not asked about again', async () => {
    const { ask, allow, question, ran } = rig();
    await ask('c1');
    await ask('c1');
    await allow();
    await ask('c1');
    expect([question(), ran.length]).toEqual([null, 1]);
  });
});

describe('what is answered without a question', () => {
  it.each([
    ['rocket.launch', {}, 'unsupported', 'undeclared'],
    ['toString', {}, 'unsupported', 'undeclared'],
    ['app.open_url', { url: 'javascript:alert(1)' }, 'failed', 'invalid_arguments'],
  ])('%s %j is %s, %s', async (capability, args, status, code) => {
    const { ask, results, question } = rig();
    await ask('c1', capability, args);
    expect(results).toMatchObject([{ call_id: 'c1', status, error: { code } }]);
    expect(question()).toBeNull();
  });

  it('what is not offered is revoked, or left to other devices', async () => {
    const { ask, policy, results } = rig();
    policy.offer('clipboard.write', false);
    await ask('c1');
    await ask('c2', 'clipboard.write', { text: 'x' }, undefined, true);
    expect(results).toMatchObject([{ call_id: 'c1', status: 'unsupported', error: { code: 'revoked' } }]);
  });

  it('what is taken back while it is asked about is revoked', async () => {
    const { ask, policy, desk, results, question } = rig();
    await ask('c1');
    policy.offer('clipboard.write', false);
    await desk.policyChanged();
    expect(results).toMatchObject([{ status: 'unsupported', error: { code: 'revoked' } }]);
    expect(question()).toBeNull();
  });

  it('what was taken back after the tap is revoked too', async () => {
    const { ask, policy, allow, results, ran } = rig();
    await ask('c1');
    policy.offer('clipboard.write', false);
    await allow();
    expect([results, ran]).toMatchObject([[{ status: 'unsupported', error: { code: 'revoked' } }], []]);
  });

  it('a notice needs nobody', async () => {
    const { ask, ran } = rig();
    await ask('c1', 'app.notify', { title: 'Done' });
    expect(ran).toHaveLength(1);
  });
});

describe('what is remembered', () => {
  it('is one capability of one agent', async () => {
    const { ask, allow, caller, question, ran, desk, hash } = rig();
    await ask('c1');
    await allow(true);
    await ask('c2');
    expect(ran).toHaveLength(2);
    await ask('c3', 'app.open_url', { url: 'https://example.com' });
    expect(question()?.request.callId).toBe('c3');
    await desk.decline(hash());
    await ask('c4', 'clipboard.write', { text: 'x' }, caller('relay|ag_2', 'cv_2'));
    expect(question()?.request.callId).toBe('c4');
  });

  it.each(['device.pick_file', 'device.location', 'device.take_photo'] satisfies CapabilityName[])('is never %s', async (capability) => {
    const { ask, allow, policy, question } = rig();
    await ask('c1', capability, {});
    expect(question()?.canRemember).toBe(false);
    await allow(true);
    expect(policy.view.get().grants).toEqual([]);
    await ask('c2', capability, {});
    expect(question()?.request.callId).toBe('c2');
  });

  it('asks all the same when the browser wants a tap, and has done nothing until then', async () => {
    const { ask, allow, policy, next, question, results, ran } = rig();
    policy.grant('relay|ag_1', 'app.open_url');
    next.outcome = new NeedsTap();
    await ask('c1', 'app.open_url', { url: 'https://example.com' });
    expect(question()).toMatchObject({ needsTap: true, work: null });
    expect(results).toEqual([]);
    next.outcome = completed('app.open_url', { opened: true });
    await allow();
    expect([ran.length, results[0]?.status]).toEqual([1, 'completed']);
  });

  it('is not relied on where a crash would be forgotten', async () => {
    const { ask, policy, question } = rig({ journal: new MemoryJournal() });
    policy.grant('relay|ag_1', 'clipboard.write');
    await ask('c1');
    expect(question()?.request.callId).toBe('c1');
  });
});

describe('no', () => {
  it('and no answer are told apart', async () => {
    const { ask, desk, hash, results, allow } = rig();
    await ask('c1');
    await desk.decline(hash());
    await ask('c2');
    await allow();
    await ask('c3');
    await desk.dismiss(hash());
    expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
      ['rejected', 'rejected'],
      ['completed', undefined],
      ['cancelled', 'dismissed'],
    ]);
  });

  it('twice in a row is enough for a while, for what waits as well, and for that agent alone', async () => {
    const { ask, desk, hash, clock, results, caller, question } = rig();
    for (const callId of ['c1', 'c2', 'c3']) await ask(callId);
    await ask('d1', 'clipboard.write', { text: 'x' }, caller('relay|ag_2', 'cv_2'));
    await desk.decline(hash());
    await desk.decline(hash());
    await ask('c4');
    expect(results.map(({ call_id, error }) => [call_id, error?.code])).toEqual([
      ['c1', 'rejected'],
      ['c2', 'rejected'],
      ['c3', 'cool_down'],
      ['c4', 'cool_down'],
    ]);
    expect(results[3]?.error?.message).toContain('ask again in 300 seconds');
    expect(question()?.request.callId).toBe('d1');
    clock.now += COOL_DOWN_MS;
    await ask('c5');
    expect(desk.view.get().waiting).toBe(1);
  });

  it('is forgotten by a yes', async () => {
    const { ask, desk, hash, allow, coolDown } = rig();
    await ask('c1');
    await desk.decline(hash());
    await ask('c2');
    await allow();
    await ask('c3');
    await desk.decline(hash());
    expect(coolDown.until('relay|ag_1')).toBeNull();
  });
});

describe('work', () => {
  it('is stopped by the user, and what it then says is the answer', async () => {
    const { ask, allow, desk, hash, next, contexts, question, results } = rig();
    let end: (outcome: Outcome) => void = () => undefined;
    next.outcome = new Promise((resolve) => (end = resolve));
    await ask('c1', 'device.take_photo', {});
    await allow();
    const photo = contexts[0]?.photograph('back');
    expect(question()?.work?.camera?.facing).toBe('back');
    await desk.dismiss(hash());
    expect(await photo).toBeNull();
    expect(contexts[0]?.signal.aborted).toBe(true);
    end({ status: 'cancelled', error: { code: 'dismissed', message: '' } });
    await settled();
    expect(results).toMatchObject([{ status: 'cancelled' }]);
    expect(question()).toBeNull();
  });

  it('that nobody waits for any more is answered to nobody', async () => {
    const { ask, allow, desk, next, results, contexts } = rig();
    let end: (outcome: Outcome) => void = () => undefined;
    next.outcome = new Promise((resolve) => (end = resolve));
    await ask('c1', 'device.pick_file', {});
    await allow();
    desk.settled('cv_1', 'c1');
    expect(contexts[0]?.signal.aborted).toBe(true);
    end(completed('app.open_url', { opened: true }));
    await settled();
    expect(results).toEqual([]);
  });

  it('that breaks is told as failed, without its inner words', async () => {
    const { ask, allow, next, results, faults } = rig();
    next.outcome = new Error('secret path /home/me');
    await ask('c1');
    await allow();
    expect(results).toMatchObject([{ status: 'failed', error: { code: 'execution_error' } }]);
    expect(JSON.stringify(results)).not.toContain('secret');
    expect(faults).toHaveLength(1);
  });

  it('that an earlier page had begun is not begun again', async () => {
    const { ask, journal, results, ran, question } = rig();
    await journal.claim('cv_1/c1', { state: 'executing', hash: 'x' });
    await ask('c1');
    expect(results).toMatchObject([{ status: 'failed', error: { code: 'unknown_outcome' } }]);
    expect([ran, question()]).toEqual([[], null]);
  });

  it('that an earlier page had finished is answered as it was', async () => {
    const { ask, journal, results } = rig();
    await journal.claim('cv_1/c1', { state: 'done', result: { call_id: 'c1', status: 'completed', result: { written: true } } });
    await ask('c1');
    expect(results).toEqual([{ call_id: 'c1', status: 'completed', result: { written: true } }]);
  });
});

describe('a conversation', () => {
  it('that is closed takes its questions along', async () => {
    const { ask, desk, question, results, caller } = rig();
    await ask('c1');
    await ask('d1', 'clipboard.write', { text: 'x' }, caller('relay|ag_2', 'cv_2'));
    desk.leave('cv_1');
    expect(question()?.request.callId).toBe('d1');
    expect(results).toEqual([]);
  });

  it('that comes back closes what was settled meanwhile', async () => {
    const { ask, desk, question } = rig();
    await ask('c1');
    await ask('c2');
    desk.pending('cv_1', ['c2']);
    expect(question()?.request.callId).toBe('c2');
  });
});
