/** The two promises of the desk, under every order of taps, crashes, tabs and settlings: never twice, and never without consent. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { CapabilityName } from '../../../src/protocol/capabilities.ts';
import { LocalStore } from '../store/local-store.ts';
import { settled } from '../store/testing.ts';
import { CoolDown } from './cool-down.ts';
import type { Caller } from './desk-parts.ts';
import { ASLEEP_MS, CapabilityDesk } from './desk.ts';
import { TabExclusion } from './exclusion.ts';
import { NeedsTap } from './handler.ts';
import { MemoryJournal, type Journal } from './journal.ts';
import { completed, type Outcome } from './outcome.ts';
import { CapabilityPolicy } from './policy.ts';
import { freeze, type AppResult } from './request.ts';
import { memoryStorage } from './testing/stand-ins.ts';

const CAPABILITY: readonly CapabilityName[] = ['app.open_url', 'clipboard.write', 'device.location'];
const ARGUMENTS = { 'app.open_url': { url: 'https://example.com/' }, 'clipboard.write': { text: 'words' }, 'device.location': {} } as const;

/** A relay and a browser: what outlives a tab. */
class Device {
  readonly journal = new MemoryJournal();
  readonly exclusion = new TabExclusion();
  readonly local = new LocalStore(memoryStorage());
  readonly policy = new CapabilityPolicy(this.local, () => true);
  readonly results = new Map<string, AppResult>();
  /** Calls for which the effect happened, as often as it did. */
  readonly effects: string[] = [];
  /** Hashes that a user has allowed while awake and on the screen. */
  readonly allowed = new Set<string>();
  /** Capabilities that were allowed for good at some time. */
  readonly remembered = new Set<CapabilityName>();
  now = 0;
  tabs: Tab[] = [];
}

class Tab {
  readonly desk: CapabilityDesk;
  readonly device: Device;
  alive = true;
  readonly #ends = new Map<string, (outcome: Outcome | Error) => void>();

  constructor(device: Device) {
    this.device = device;
    const whileAlive = <T>(work: () => Promise<T>): Promise<T> => (this.alive ? work() : new Promise(() => undefined));
    // What a dead tab would still do never happens.
    const journal: Journal = {
      durable: true,
      find: (key) => whileAlive(() => device.journal.find(key)),
      claim: (key, record) => whileAlive(() => device.journal.claim(key, record)),
      finish: (key, result) => whileAlive(() => device.journal.finish(key, result)),
      release: (key) => whileAlive(() => device.journal.release(key)),
    };
    this.desk = new CapabilityDesk({
      journal,
      exclusion: {
        tryWith: (name, run) => whileAlive(() => device.exclusion.tryWith(name, () => this.#untilDeath(run()))),
        waitWith: (name, run) =>
          whileAlive(() => device.exclusion.waitWith(name, () => (this.alive ? this.#untilDeath(run()) : Promise.reject(new Error('dead'))))),
      },
      policy: device.policy,
      coolDown: new CoolDown(device.local, () => device.now),
      run: (_call, context) =>
        new Promise((resolve, reject) => {
          const id = context.agent;
          this.#ends.set(id, (outcome) => {
            this.#ends.delete(id);
            if (outcome instanceof Error) return reject(outcome);
            device.effects.push(id);
            resolve(outcome);
          });
        }),
      show: () => true,
      announce: (key) => device.tabs.forEach((tab) => tab !== this && tab.alive && tab.desk.takenElsewhere(key)),
      clock: () => device.now,
      fault: () => undefined,
      schedule: (run) => run(),
    });
  }

  #die: () => void = () => undefined;
  readonly #dead = new Promise<never>((_, reject) => (this.#die = () => reject(new Error('dead'))));

  /** The browser lets go of a dead tab's locks. */
  #untilDeath<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#dead]);
  }

  caller(callId: string): Caller {
    return {
      conversationId: 'cv_1',
      agent: 'relay|ag_1',
      // What the stand-in for the handlers tells calls apart by.
      agentName: () => callId,
      files: { upload: () => Promise.resolve(null), download: () => Promise.resolve(null) },
      isPending: (id) => !this.device.results.has(id),
      answer: (result) => {
        if (this.alive && !this.device.results.has(result.call_id)) {
          this.device.results.set(result.call_id, result);
          for (const tab of this.device.tabs) if (tab !== this) tab.desk.settled('cv_1', result.call_id);
        }
        return Promise.resolve();
      },
    };
  }

  take(callId: string, capability: CapabilityName): void {
    const call = { call_id: callId, capability, reason: 'because', arguments: ARGUMENTS[capability as keyof typeof ARGUMENTS] };
    void this.desk.take(this.caller(callId), call, false).catch(() => undefined);
  }

  allow(wrongHash: boolean, remember: boolean): void {
    const { question } = this.desk.view.get();
    if (!question) return;
    const awake = this.device.now - (this.#shownSince.get(question.request.key) ?? Infinity) >= ASLEEP_MS;
    if (!wrongHash && awake && question.work === null) {
      this.device.allowed.add(question.request.key);
      if (remember && question.canRemember) this.device.remembered.add(question.request.capability);
    }
    void this.desk.allow(wrongHash ? 'another' : question.request.hash, remember).catch(() => undefined);
  }

  readonly #shownSince = new Map<string, number>();

  /** Keeps what the user could know: since when a question was on the screen. */
  look(): void {
    const { question } = this.desk.view.get();
    const key = question?.request.key;
    for (const known of [...this.#shownSince.keys()]) if (known !== key) this.#shownSince.delete(known);
    if (key !== undefined && !this.#shownSince.has(key)) this.#shownSince.set(key, this.device.now);
  }

  no(dismiss: boolean): void {
    const hash = this.desk.view.get().question?.request.hash ?? '';
    void (dismiss ? this.desk.dismiss(hash) : this.desk.decline(hash)).catch(() => undefined);
  }

  end(outcome: Outcome | Error): void {
    const [end] = this.#ends.values();
    end?.(outcome);
  }

  crash(effectHappened: boolean): void {
    if (effectHappened) for (const id of this.#ends.keys()) this.device.effects.push(id);
    this.alive = false;
    this.#die();
    this.#dead.catch(() => undefined);
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant('take' as const), call: fc.nat(3), tab: fc.nat(1) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(100, 600, 600, 600, 400_000) }),
  fc.record({ do: fc.constant('allow' as const), tab: fc.nat(1), wrongHash: fc.boolean(), remember: fc.boolean() }),
  fc.record({ do: fc.constant('allow' as const), tab: fc.nat(1), wrongHash: fc.constant(false), remember: fc.constant(false) }),
  fc.record({ do: fc.constant('allow' as const), tab: fc.nat(1), wrongHash: fc.constant(false), remember: fc.constant(false) }),
  fc.record({ do: fc.constant('take' as const), call: fc.nat(3), tab: fc.nat(1) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constant(600) }),
  fc.record({ do: fc.constant('no' as const), tab: fc.nat(1), dismiss: fc.boolean() }),
  fc.record({ do: fc.constant('end' as const), tab: fc.nat(1), needsTap: fc.boolean() }),
  fc.record({ do: fc.constant('crash' as const), tab: fc.nat(1), effect: fc.boolean() }),
  fc.record({ do: fc.constant('settle' as const), call: fc.nat(3) }),
  fc.record({ do: fc.constant('offer' as const), offered: fc.boolean() }),
);

describe('the desk', () => {
  test.prop([fc.array(step, { maxLength: 60, size: 'max' }), fc.boolean()], { numRuns: 500 })(
    'never runs a call twice, nor one that nobody allowed',
    async (steps, patient) => {
      const device = new Device();
      device.tabs = [new Tab(device), new Tab(device)];
      const capabilityOfCall = (call: number) => CAPABILITY[call % CAPABILITY.length] as CapabilityName;
      for (const each of steps) {
        if (patient) await settled();
        for (const tab of device.tabs) tab.look();
        switch (each.do) {
          case 'take':
            device.tabs[each.tab]?.take(`c${each.call}`, capabilityOfCall(each.call));
            break;
          case 'wait':
            device.now += each.ms;
            break;
          case 'allow':
            device.tabs[each.tab]?.allow(each.wrongHash, each.remember);
            break;
          case 'no':
            device.tabs[each.tab]?.no(each.dismiss);
            break;
          case 'end':
            device.tabs[each.tab]?.end(each.needsTap ? new NeedsTap() : completed('app.open_url', { opened: true }));
            break;
          case 'crash':
            device.tabs[each.tab]?.crash(each.effect);
            device.tabs[each.tab] = new Tab(device);
            break;
          case 'settle':
            if (!device.results.has(`c${each.call}`)) device.results.set(`c${each.call}`, { call_id: `c${each.call}`, status: 'cancelled' });
            for (const tab of device.tabs) tab.desk.settled('cv_1', `c${each.call}`);
            break;
          case 'offer':
            device.policy.offer('clipboard.write', each.offered);
            for (const tab of device.tabs) void tab.desk.policyChanged().catch(() => undefined);
            break;
        }
      }
      await settled();
      await settled();
      expect(device.effects.length, 'an effect happened twice').toBe(new Set(device.effects).size);
      for (const callId of device.effects) {
        const consented = device.allowed.has(`cv_1/${callId}`) || device.remembered.has(capabilityOfCall(Number(callId.slice(1))));
        expect(consented, `${callId} ran without consent`).toBe(true);
      }
      expect(device.remembered.has('device.location')).toBe(false);
      // A fresh page that sees every call that is still pending leaves none unanswered but those that it asks about.
      for (const tab of device.tabs) tab.crash(false);
      const last = new Tab(device);
      device.tabs = [last];
      for (const call of [0, 1, 2, 3]) if (!device.results.has(`c${call}`)) last.take(`c${call}`, capabilityOfCall(call));
      for (let i = 0; i < 4; i++) await settled();
      for (const callId of device.effects) {
        const result = device.results.get(callId);
        expect(result, `${callId} ran and is answered`).toBeDefined();
      }
    },
  );

  test.prop([fc.string(), fc.string(), fc.string()])('an approval is for one text of one call', (url, reason, callId) => {
    const of = (change: object) =>
      freeze('k', 'clipboard.write', { call_id: 'c', capability: 'clipboard.write', reason: 'r', arguments: { text: 't' }, ...change });
    const base = of({});
    for (const [change, differs] of [
      [{ arguments: { text: `t${url}` } }, url !== ''],
      [{ reason: `r${reason}` }, reason !== ''],
      [{ arguments: { text: 't', unknown: callId } }, false],
    ] as const) {
      const other = of(change);
      if (base.ok && other.ok) expect(base.request.hash !== other.request.hash).toBe(differs);
    }
  });
});
