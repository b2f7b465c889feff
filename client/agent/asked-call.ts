/** A call that is made and awaited over HTTP, so that it does not take the socket of the agent that runs (§3, §6). */
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../src/protocol/json.ts';
import { MAX_PAGE_MESSAGES } from '../../src/protocol/limits.ts';
import { RelayError } from '../core/errors.ts';
import { isMessage } from '../core/frames.ts';
import type { RelayHttp } from '../core/http.ts';
import { randomId } from '../core/random-id.ts';
import { persist } from './persist.ts';

/** The pauses between two looks for the answer, in ms: quick while the user may be tapping, easy later. */
const LOOKS: readonly { after: number; every: number }[] = [
  { after: 0, every: 1_000 },
  { after: 60_000, every: 2_000 },
  { after: 600_000, every: 5_000 },
];
/** How long the relay may be away while this waits, in ms: as long as the question can be open. */
const PATIENCE_MS = 7 * 24 * 3_600_000;

/** What a call over HTTP needs. */
export interface AskedCall {
  http: RelayHttp;
  conversationId: string;
  callId: string;
  /** Of the `tool.call`. */
  payload: JsonObject;
  /** How long to try until the relay has the question, in ms. */
  sendWithinMs: number;
  /** Told when the relay cannot be reached, and is tried again. */
  onTrouble: () => void;
}

/** Puts the question to the relay. Returns where in the log the answer can follow. Safe to repeat. @throws the signal's reason */
export async function placeCall(call: AskedCall, signal: AbortSignal): Promise<number> {
  const { http, conversationId, callId, payload, sendWithinMs, onTrouble } = call;
  const envelope = { id: callId, type: 'tool.call', payload };
  const { seq } = await persist(() => http.postMessage(conversationId, envelope), Date.now() + sendWithinMs, onTrouble, signal);
  return seq ?? 0;
}

/**
 * Waits for the result.
 * @returns the payload of the `tool.result`
 * @throws the signal's reason
 */
export async function awaitResult({ http, conversationId, callId, onTrouble }: AskedCall, after: number, signal: AbortSignal): Promise<JsonObject> {
  const began = Date.now();
  for (let cursor = after; ;) {
    signal.throwIfAborted();
    const from = cursor;
    const { messages, has_more } = await persist(
      () => http.history(conversationId, { after: from, limit: MAX_PAGE_MESSAGES }),
      Date.now() + PATIENCE_MS,
      onTrouble,
      signal,
    );
    for (const frame of messages) {
      if (isMessage(frame, 'tool.result') && frame.payload.call_id === callId) return frame.payload as JsonObject;
      cursor = Math.max(cursor, frame.seq ?? 0);
    }
    if (has_more && messages.length > 0) continue;
    const { every } = LOOKS.findLast(({ after: since }) => Date.now() - began >= since) ?? { every: 1_000 };
    await delay(every, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Takes the question back. One that was answered meanwhile stays answered, one that never reached the relay is none. */
export async function cancelCall({ http, conversationId, callId }: AskedCall): Promise<void> {
  try {
    await http.postMessage(conversationId, { id: randomId('cancel'), type: 'tool.cancel', payload: { call_id: callId } });
  } catch (error) {
    if (!(error instanceof RelayError && (error.code === 'already_settled' || error.code === 'unknown_call'))) throw error;
  }
}
