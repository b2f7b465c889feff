/**
 * Every `app.call` of every conversation passes here: it is checked, its user is asked, it runs at most once, it is answered once.
 * One question is on the screen at a time; the others wait behind it. Knows neither React nor the browser.
 */
import { CAPABILITIES, capabilityOf, type CapabilityName } from '../../../src/protocol/capabilities.ts';
import { Observable } from '../store/observable.ts';
import { askedAbout, work, type Item } from './desk-item.ts';
import type { Caller, DeskParts, DeskView } from './desk-parts.ts';
import { DECLINED, DISMISSED, REVOKED, refused, resultOf, UNDECLARED, UNKNOWN_OUTCOME, type Outcome } from './outcome.ts';
import { freeze, isIntact, type AppCall } from './request.ts';

/** A question has to be on the screen for this many ms before it can be allowed: nobody allows what they had no time to see. */
export const ASLEEP_MS = 500;

/** See the file's head. */
export class CapabilityDesk {
  readonly view: Observable<DeskView>;
  readonly #parts: DeskParts;
  /** Calls that this tab has taken up, by key; null while they are looked at or left to another tab. */
  readonly #items = new Map<string, Item | null>();
  #shown: { key: string; since: number } | null = null;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.view = new Observable(() => this.#look(), parts.schedule);
  }

  /**
   * Takes up a call, the same one again without effect. Resolves when it is answered, asked about, or left to somebody else.
   * @param silent leave what this device does not offer to another device
   */
  async take(caller: Caller, call: AppCall, silent: boolean): Promise<void> {
    const key = keyOf(caller.conversationId, call.call_id);
    if (this.#items.has(key)) return;
    this.#items.set(key, null);
    const record = await this.#parts.journal.find(key);
    if (!this.#items.has(key)) return;
    if (record) return this.#leave(key, caller, call);
    await this.#consider(key, caller, call, silent);
  }

  /** Somebody settled the call: nothing of it is shown or started any more. */
  settled(conversationId: string, callId: string): void {
    const key = keyOf(conversationId, callId);
    const item = this.#items.get(key);
    if (!item) return;
    item.settled = true;
    item.abort.abort();
    if (item.phase === 'asking') this.#drop(key);
  }

  /** After a reconnect: what is not pending any more was settled meanwhile. */
  pending(conversationId: string, callIds: readonly string[]): void {
    for (const item of this.#of((each) => each.caller.conversationId === conversationId)) {
      if (!callIds.includes(item.request.callId)) this.settled(conversationId, item.request.callId);
    }
  }

  /** A conversation is closed here; its calls stay with the relay. */
  leave(conversationId: string): void {
    for (const item of this.#of((each) => each.caller.conversationId === conversationId)) {
      item.settled = true;
      item.abort.abort();
    }
    for (const key of [...this.#items.keys()]) if (key.startsWith(keyOf(conversationId, ''))) this.#items.delete(key);
    this.#show();
  }

  /** Calls of a conversation that wait for their user's word. */
  asking(conversationId: string): string[] {
    return this.#of((item) => item.phase === 'asking' && item.caller.conversationId === conversationId).map(({ request }) => request.callId);
  }

  /** What is offered has changed: questions about what was taken back are answered. */
  async policyChanged(): Promise<void> {
    const gone = this.#of((item) => item.phase === 'asking' && !this.#parts.policy.offers(item.request.capability));
    await Promise.all(gone.map((item) => this.#decide(item, REVOKED)));
  }

  /** Another tab took a call over: it is not asked about here, and looked after in case that tab dies. */
  takenElsewhere(key: string): void {
    const item = this.#items.get(key);
    if (item?.phase !== 'asking') return;
    this.#items.set(key, null);
    this.#show();
    this.#leave(key, item.caller, item.call).catch(this.#parts.fault);
  }

  /** The screen was not looked at: the question on it falls asleep again. */
  rearm(): void {
    if (this.#shown) this.#shown.since = this.#parts.clock();
  }

  /**
   * The user allows what is on the screen.
   * @param hash of what they saw; anything else is not allowed by it
   */
  async allow(hash: string, remember: boolean): Promise<void> {
    const item = this.#asked(hash);
    if (!item || !this.#shown || this.#parts.clock() - this.#shown.since < ASLEEP_MS) return;
    const { caller, request } = item;
    this.#parts.coolDown.clear(caller.agent);
    if (remember) this.#parts.policy.grant(caller.agent, request.capability);
    await this.#execute(item);
  }

  /** The user says no. */
  async decline(hash: string): Promise<void> {
    await this.#refuse(hash, DECLINED);
  }

  /** The user closes the question; while it is at work, they stop it. */
  async dismiss(hash: string): Promise<void> {
    const item = this.#current();
    if (item?.phase === 'doing' && item.request.hash === hash) item.abort.abort();
    else await this.#refuse(hash, DISMISSED);
  }

  async #refuse(hash: string, outcome: Outcome): Promise<void> {
    const item = this.#asked(hash);
    if (!item) return;
    const { coolDown } = this.#parts;
    const { agent } = item.caller;
    coolDown.refused(agent);
    const tooMuch = coolDown.until(agent) === null ? [] : this.#of((each) => each !== item && each.phase === 'asking' && each.caller.agent === agent);
    await Promise.all([this.#decide(item, outcome), ...tooMuch.map((each) => this.#decide(each, this.#cooledDown(agent)))]);
  }

  async #consider(key: string, caller: Caller, call: AppCall, silent: boolean): Promise<void> {
    const { policy } = this.#parts;
    const capability = capabilityOf(call.capability);
    if (capability === undefined || !policy.offers(capability)) {
      if (silent) return;
      return this.#answer(key, caller, call, capability === undefined ? UNDECLARED : REVOKED);
    }
    const frozen = freeze(key, capability, call);
    if (!frozen.ok) return this.#answer(key, caller, call, { status: 'failed', error: frozen.error });
    const { request } = frozen;
    const item = askedAbout(request, caller, call);
    this.#items.set(key, item);
    if (this.#needsNobody(caller.agent, capability)) return this.#execute(item);
    if (this.#parts.coolDown.until(caller.agent) !== null) return this.#decide(item, this.#cooledDown(caller.agent));
    this.#show();
  }

  /** What is only shown, and what was allowed for good. Without a journal that lasts, a crash would do the latter twice: then it is asked about. */
  #needsNobody(agent: string, capability: CapabilityName): boolean {
    const { journal, policy } = this.#parts;
    return CAPABILITIES[capability].risk === 'display_only' || (journal.durable && policy.isGranted(agent, capability));
  }

  #cooledDown(agent: string): Outcome {
    return refused('rejected', 'cool_down', `The user declined twice in a row; ask again in ${this.#parts.coolDown.secondsLeft(agent)} seconds.`);
  }

  /** Does what was allowed, if nobody else has begun. */
  async #execute(item: Item): Promise<void> {
    const { request, caller, call } = item;
    const { key } = request;
    item.phase = 'deciding';
    this.view.changed();
    const ended = await this.#parts.exclusion.tryWith(key, () => this.#perform(item));
    if (ended === 'needs-tap' && !item.settled) {
      item.phase = 'asking';
      item.needsTap = true;
      return this.#show();
    }
    if (ended === 'answered') return this.#drop(key);
    this.#items.set(key, null);
    this.#show();
    await this.#leave(key, caller, call);
  }

  /** Called with the call's lock held. */
  async #perform(item: Item): Promise<'answered' | 'taken' | 'needs-tap'> {
    const { request, caller } = item;
    const { key, callId, capability, hash } = request;
    const { journal, policy } = this.#parts;
    if (item.settled) return 'answered';
    const hindrance = !isIntact(request)
      ? refused('failed', 'changed', 'What was shown is not what was to be done.')
      : !policy.offers(capability)
        ? REVOKED
        : null;
    if (hindrance) {
      const result = resultOf(callId, hindrance);
      if (!(await journal.claim(key, { state: 'done', result }))) return 'taken';
      await caller.answer(result);
      return 'answered';
    }
    if (!(await journal.claim(key, { state: 'executing', hash }))) return 'taken';
    item.phase = 'doing';
    this.#parts.announce(key);
    this.view.changed();
    const outcome = await work(item, this.#parts, () => this.view.changed());
    if (outcome === null) {
      await journal.release(key);
      return 'needs-tap';
    }
    const result = resultOf(callId, outcome);
    await journal.finish(key, result);
    if (!item.settled) await caller.answer(result);
    return 'answered';
  }

  /** Answers a call that is asked about, without doing it. */
  async #decide(item: Item, outcome: Outcome): Promise<void> {
    const { request, caller, call } = item;
    item.phase = 'deciding';
    this.#drop(request.key);
    await this.#answer(request.key, caller, call, outcome);
  }

  /** Answers a call; one that somebody else has is left to them. */
  async #answer(key: string, caller: Caller, call: AppCall, outcome: Outcome): Promise<void> {
    const { exclusion, journal, announce } = this.#parts;
    const result = resultOf(call.call_id, outcome);
    const answered = await exclusion.tryWith(key, async () => {
      if (!(await journal.claim(key, { state: 'done', result }))) return false;
      announce(key);
      if (caller.isPending(call.call_id)) await caller.answer(result);
      return true;
    });
    if (answered !== true) await this.#leave(key, caller, call);
  }

  /** Waits until whoever has the call lets go of it, and then sees to it that it is answered. */
  async #leave(key: string, caller: Caller, call: AppCall): Promise<void> {
    const { exclusion, journal } = this.#parts;
    const free = await exclusion.waitWith(key, async () => {
      const record = await journal.find(key);
      if (record === null) return true;
      const result = record.state === 'done' ? record.result : resultOf(call.call_id, UNKNOWN_OUTCOME);
      if (record.state === 'executing') await journal.finish(key, result);
      if (this.#items.has(key) && caller.isPending(call.call_id)) await caller.answer(result);
      return false;
    });
    if (!free || this.#items.get(key) !== null) return;
    // The other tab had to give it back: the browser wanted a tap there.
    this.#items.delete(key);
    if (caller.isPending(call.call_id)) await this.take(caller, call, true);
  }

  #drop(key: string): void {
    // It stays known, so that the same frame again is not taken for a new call.
    this.#items.set(key, null);
    this.#show();
  }

  /** Puts the next question on the screen when there is none. */
  #show(): void {
    const current = this.#current();
    if (!current) {
      const [next] = this.#of((item) => item.phase === 'asking');
      this.#shown = next ? { key: next.request.key, since: this.#parts.clock() } : null;
    } else if (current.phase === 'asking' && current.needsTap) this.#shown = { key: current.request.key, since: this.#parts.clock() };
    this.view.changed();
  }

  #current(): Item | null {
    return this.#shown ? (this.#items.get(this.#shown.key) ?? null) : null;
  }

  #asked(hash: string): Item | null {
    const item = this.#current();
    return item?.phase === 'asking' && item.request.hash === hash ? item : null;
  }

  #of(which: (item: Item) => boolean): Item[] {
    return [...this.#items.values()].filter((item) => item !== null).filter(which);
  }

  #look(): DeskView {
    const item = this.#current();
    if (!item) return { question: null, waiting: 0 };
    return {
      question: {
        request: item.request,
        agentName: item.caller.agentName(),
        canRemember: this.#parts.policy.canRemember(item.request.capability),
        needsTap: item.needsTap,
        work: item.phase === 'asking' ? null : item.work,
      },
      waiting: this.#of((each) => each !== item && each.phase === 'asking').length,
    };
  }
}

function keyOf(conversationId: string, callId: string): string {
  return `${conversationId}/${callId}`;
}
