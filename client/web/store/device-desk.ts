/** What this device answers by itself, or hands on to those who ask its user: what it has, and what an agent wants of it. */
import { isMessage, type DurableType } from '../../core/frames.ts';
import type { Delivered, Participant } from '../../../src/protocol/envelope.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { describeTools } from '../../../src/protocol/tools.ts';
import type { Caller } from '../capabilities/desk-parts.ts';
import type { ConversationHost } from '../capabilities/host.ts';
import type { BoardCall } from '../canvas/canvas-door.ts';
import { decide, OFFERED_TOOLS } from '../model/tool-desk.ts';
import type { LocalStore } from './local-store.ts';

/** Puts a message into the outbox; what becomes of it is seen elsewhere. */
type Send = <T extends DurableType>(type: T, payload: Payloads[T]) => void;

interface DeviceDeskParts {
  me: Participant;
  local: LocalStore;
  host: ConversationHost;
  /** The conversation as calls come from it. */
  caller: Caller;
  /** Carries out what concerns a drawing board. */
  draw: (call: BoardCall) => void;
  send: Send;
  /** Takes a message back that the relay does not have yet. */
  discard: (id: string) => void;
}

const INVENTORY = 'lineup.v1.client.inventory';

/** See the file's head. */
export class DeviceDesk {
  readonly #parts: DeviceDeskParts;
  readonly #key: string;

  constructor(parts: DeviceDeskParts) {
    this.#parts = parts;
    this.#key = `inventory.${parts.caller.conversationId}`;
  }

  /** Tells what this device has (§7). Goes on telling each change until the returned function is called. */
  declareChanges(isOnline: () => boolean): () => void {
    // Who is away tells it when they are back.
    return this.#parts.host.inventory.subscribe(() => isOnline() && this.declare());
  }

  /** Calls of this conversation that its user is being asked about. */
  get questions(): readonly string[] {
    return this.#parts.host.desk.asking(this.#parts.caller.conversationId);
  }

  /** Tells of other questions until the returned function is called. */
  followQuestions(changed: () => void): () => void {
    return this.#parts.host.desk.view.subscribe(changed);
  }

  /** Tells what this device has now. */
  declare(): void {
    this.#parts.send(INVENTORY, this.#parts.host.inventory.get());
  }

  /** Something waits in the outbox. An inventory that is no longer true must not overtake the one that is. */
  queued(id: string, type: string, payload: JsonObject): void {
    if (type === INVENTORY && payload.revision !== this.#parts.host.inventory.get().revision) queueMicrotask(() => this.#parts.discard(id));
  }

  /** The relay has a message of this device. */
  relayed(type: string, payload: JsonObject): void {
    if (type === INVENTORY && typeof payload.revision === 'string') this.#parts.local.write(this.#key, this.#named(payload.revision));
  }

  /** Answers a message that needs no user, and hands on what does. What was settled before is nobody's to answer. */
  take(message: Delivered): void {
    if (isMessage(message, 'lineup.v1.app.cancel')) this.settled(message.payload.call_id);
    if (message.settled !== undefined || message.payload.sealed !== undefined) return;
    if (isMessage(message, 'tool.list')) this.#parts.send('tool.list', { tools: describeTools(OFFERED_TOOLS), reply_to: message.id });
    if (isMessage(message, 'tool.call')) this.#toolCall(message.payload, isForOne(message));
    if (isMessage(message, 'lineup.v1.app.call')) this.#appCall(message.payload, isForOne(message));
  }

  /** Somebody settled a call. */
  settled(callId: string): void {
    this.#parts.host.desk.settled(this.#parts.caller.conversationId, callId);
  }

  /** The relay says which calls wait (§4, welcome). */
  pending(callIds: readonly string[]): void {
    this.#parts.host.desk.pending(this.#parts.caller.conversationId, callIds);
  }

  /** The conversation is closed here. */
  close(): void {
    this.#parts.host.desk.leave(this.#parts.caller.conversationId);
  }

  #toolCall(call: Payloads['tool.call'], mineAlone: boolean): void {
    if (!this.#parts.caller.isPending(call.call_id)) return;
    const decision = decide(call);
    if (decision.do === 'answer') this.#parts.send('tool.result', decision.result);
    if (decision.do === 'draw') this.#parts.draw({ callId: call.call_id, call: decision.call, mineAlone });
  }

  /**
   * Once the relay knows what this device declares, it settles by itself what no device declares (§6, 6): a call that comes through all
   * the same, and is not for this device alone, is another device's to answer.
   */
  #appCall(call: Payloads['lineup.v1.app.call'], mineAlone: boolean): void {
    const { caller, host, local } = this.#parts;
    if (!caller.isPending(call.call_id)) return;
    const known = local.read(this.#key) === this.#named(host.inventory.get().revision);
    host.desk.take(caller, call, known && !mineAlone).catch((error: unknown) => reportError(error));
  }

  /** A device that was paired anew has to declare itself anew. */
  #named(revision: string): string {
    return `${this.#parts.me.id} ${revision}`;
  }
}

/** Whether a message is for this device and no other. */
function isForOne({ target }: Delivered): boolean {
  return target !== undefined && 'id' in target;
}
