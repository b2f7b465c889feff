/** What this device answers by itself, without its user: what it has, and what it cannot do. */
import { isMessage, type DurableType } from '../../core/frames.ts';
import type { Delivered, Participant } from '../../../src/protocol/envelope.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { describeTools } from '../../../src/protocol/tools.ts';
import { INVENTORY } from '../model/inventory.ts';
import { decide, OFFERED_TOOLS } from '../model/tool-desk.ts';
import type { LocalStore } from './local-store.ts';

/** Puts a message into the outbox; what becomes of it is seen elsewhere. */
type Send = <T extends DurableType>(type: T, payload: Payloads[T]) => void;

/** See the file's head. */
export class DeviceDesk {
  readonly #send: Send;
  readonly #isPending: (callId: string) => boolean;
  readonly #local: LocalStore;
  readonly #key: string;
  /** A device that was paired anew has to declare itself anew. */
  readonly #declared: string;

  /** @param isPending whether nobody has settled a call, or is about to from here */
  constructor(parts: { conversationId: string; me: Participant; local: LocalStore; send: Send; isPending: (callId: string) => boolean }) {
    this.#send = parts.send;
    this.#isPending = parts.isPending;
    this.#local = parts.local;
    this.#key = `inventory.${parts.conversationId}`;
    this.#declared = `${parts.me.id} ${INVENTORY.revision}`;
  }

  /** Tells what this device has (§7). */
  declare(): void {
    this.#send('lineup.v1.client.inventory', INVENTORY);
  }

  /** The relay has a message of this device. */
  relayed(type: string): void {
    if (type === 'lineup.v1.client.inventory') this.#local.write(this.#key, this.#declared);
  }

  /** Answers a message that needs no user. What was settled before is nobody's to answer. */
  take(message: Delivered): void {
    if (message.settled !== undefined || message.payload.sealed !== undefined) return;
    if (isMessage(message, 'tool.list')) this.#send('tool.list', { tools: describeTools(OFFERED_TOOLS), reply_to: message.id });
    if (isMessage(message, 'tool.call')) this.#toolCall(message.payload);
    if (isMessage(message, 'lineup.v1.app.call')) this.#appCall(message.payload);
  }

  #toolCall(call: Payloads['tool.call']): void {
    const decision = decide(call);
    if (decision.do === 'answer' && this.#isPending(call.call_id)) this.#send('tool.result', decision.result);
  }

  /**
   * This version has no capabilities. Once the relay knows that (our inventory was acknowledged), it settles by itself what no device
   * declares (§6, 6): a call that comes through all the same is another device's to answer.
   */
  #appCall(call: Payloads['lineup.v1.app.call']): void {
    if (this.#local.read(this.#key) === this.#declared || !this.#isPending(call.call_id)) return;
    const error = { code: 'unsupported_host', message: `This device cannot do ${call.capability}.` };
    this.#send('lineup.v1.app.result', { call_id: call.call_id, status: 'unsupported', error });
  }
}
