/** Asks the user for an agent's permission, and says it back (`session/request_permission`). */
import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { CallEnding, ToolRequest } from './conversation-lines.ts';
import { distinctLabels, shorten } from './labels.ts';

/** A question for a device, and how its answer is read. */
export interface Asked<T> {
  request: ToolRequest;
  read: (ending: CallEnding) => T;
}

const NO_OUTCOME: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };
/** What a choice can hold (§11). */
const MAX_OPTIONS = 50;
const MAX_QUESTION_UNITS = 1_500;

/**
 * What to ask: to agree or to decline where that is all there is, otherwise to choose. Null: there is nothing to choose from.
 *
 * A question that is dismissed, expires or is taken back answers `cancelled`.
 */
export function askPermission({ toolCall, options }: RequestPermissionRequest): Asked<RequestPermissionResponse> | null {
  const question = questionOf(toolCall);
  const [allow, reject] = [onlyOf(options, 'allow_once'), onlyOf(options, 'reject_once')];
  if (options.length === 2 && allow && reject) {
    const danger = toolCall.kind === 'delete' ? { danger: true } : {};
    return {
      request: { name: 'confirm', action: 'ask', arguments: { question, confirm_label: allow.name, cancel_label: reject.name, ...danger } },
      read: ({ result }) => (typeof result?.confirmed === 'boolean' ? selected((result.confirmed ? allow : reject).optionId) : NO_OUTCOME),
    };
  }
  if (options.length === 0) return null;
  const labels = distinctLabels(options.slice(0, MAX_OPTIONS).map(({ name, optionId }) => name || optionId));
  return {
    request: { name: 'choice', action: 'select', arguments: { question, options: labels } },
    read: ({ result }) => {
      const chosen = Array.isArray(result?.selected) ? options[labels.indexOf(String(result.selected[0]))] : undefined;
      return chosen ? selected(chosen.optionId) : NO_OUTCOME;
    },
  };
}

function selected(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId } };
}

function onlyOf(options: readonly PermissionOption[], kind: PermissionOption['kind']): PermissionOption | undefined {
  const all = options.filter((option) => option.kind === kind && option.name !== '');
  return all.length === 1 ? all[0] : undefined;
}

function questionOf(toolCall: RequestPermissionRequest['toolCall']): string {
  const title = toolCall.title ?? toolCall.name ?? 'The agent asks for your permission';
  const detail = detailOf(toolCall.rawInput);
  const isNew = detail !== '' && !title.includes(detail);
  return shorten(isNew ? `${title}\n\n${detail}` : title, MAX_QUESTION_UNITS);
}

/** What would be done, when the title alone does not say it. */
function detailOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return '';
  for (const key of ['command', 'cmd', 'file_path', 'path', 'url']) {
    const value: unknown = Object.hasOwn(input, key) ? (input as Record<string, unknown>)[key] : undefined;
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value.join(' ');
  }
  return '';
}
