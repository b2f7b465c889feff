/** How frames of §5 and §6 bear on calls, and which types a timeline carries without a line of their own. */
import type { CallStatus } from '../../../src/protocol/handshake.ts';
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts';

/** Types that change something else and are no entry themselves. */
export const CARRIED_TYPES: ReadonlySet<string> = new Set([
  'text.edit',
  'tool.list',
  'tool.result',
  'tool.cancel',
  'lineup.v1.ui.patch',
  'lineup.v1.ui.close',
  'lineup.v1.ui.event',
  'lineup.v1.client.inventory',
  'lineup.v1.app.list',
  'lineup.v1.app.result',
  'lineup.v1.app.cancel',
]);

/** Whether a type asks something of a device, and through which layer. */
export function callKindOf(type: string): 'tool' | 'app' | null {
  if (type === 'tool.call') return 'tool';
  return type === 'lineup.v1.app.call' ? 'app' : null;
}

/** Whether a type takes a call back. */
export function cancelledCall(type: string): boolean {
  return type === 'tool.cancel' || type === 'lineup.v1.app.cancel';
}

/** How the payload of a `tool.result` or `app.result` settles its call (§6). */
export function resultStatus(payload: JsonObject): CallStatus {
  const { status, error } = payload;
  if (typeof status === 'string') return status as CallStatus;
  if (!isJsonObject(error)) return 'completed';
  switch (error.code) {
    case 'rejected':
    case 'cancelled':
    case 'expired':
      return error.code;
    case 'unknown_tool':
    case 'unknown_action':
      return 'unsupported';
    default:
      return 'failed';
  }
}
