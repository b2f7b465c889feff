/** One `app.call` frozen at the moment it is looked at: what is shown, what is hashed and what is executed come from one text. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { CAPABILITIES, checkCapability, type CapabilityName, type CheckedCapability } from '../../../src/protocol/capabilities.ts';
import type { Risk } from '../../../src/protocol/inventory.ts';
import { canonicalJson, type JsonObject } from '../../../src/protocol/json.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';

export type AppCall = Payloads['lineup.v1.app.call'];
export type AppResult = Payloads['lineup.v1.app.result'];

/** A call as its user is asked about it. Never changes. */
export interface CapabilityRequest {
  /** Conversation and call together: calls of other conversations may have the same id. */
  readonly key: string;
  readonly callId: string;
  readonly capability: CapabilityName;
  readonly risk: Risk;
  /** The agent's own words: untrusted. */
  readonly reason: string;
  /** The arguments as they were checked, as JSON with sorted keys. */
  readonly text: string;
  /** SHA-256 of all that was shown, and of which call it was shown for, in hex: what an approval is for. */
  readonly hash: string;
}

/** Freezes a call, or says what is wrong with its arguments. */
export function freeze(
  key: string,
  capability: CapabilityName,
  call: AppCall,
): { ok: true; request: CapabilityRequest } | { ok: false; error: { code: 'invalid_arguments'; message: string } } {
  const checked = checkCapability(capability, call.arguments as JsonObject);
  if (!checked.ok) return checked;
  const text = canonicalJson(asUnderstood(checked.value) as JsonObject);
  const shown = { key, callId: call.call_id, capability, risk: CAPABILITIES[capability].risk, reason: call.reason, text };
  return { ok: true, request: Object.freeze({ ...shown, hash: hashOf(shown) }) };
}

/** Whether a request still is what its hash says: asked right before it is executed. */
export function isIntact(request: CapabilityRequest): boolean {
  return request.hash === hashOf(request);
}

/** What is to be shown, and executed. Reads the frozen text each time, so that nobody can have changed it. */
export function readRequest({ capability, text }: CapabilityRequest): CheckedCapability {
  return { name: capability, arguments: JSON.parse(text) as unknown } as CheckedCapability;
}

function hashOf({ key, capability, reason, text }: Omit<CapabilityRequest, 'hash'>): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson([key, capability, CAPABILITIES[capability].version, reason, text]))));
}

/** An address is what the browser makes of it: that is shown and opened, not what was written. */
function asUnderstood({ name, arguments: args }: CheckedCapability): CheckedCapability['arguments'] {
  return name === 'app.open_url' ? { url: new URL(args.url).href } : args;
}
