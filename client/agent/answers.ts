/** How a call to a device ended, as an agent reads it: completed with a checked result, or not, and why. */
import type { z } from 'zod';
import type { CallStatus } from '../../src/protocol/handshake.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { TOOLS } from '../../src/protocol/tools.ts';

/** The tools that ask the user something (§11): their schemas, and the action that a call names. */
export const QUESTIONS = {
  choice: { action: 'select', ...TOOLS.choice.actions.select },
  confirm: { action: 'ask', ...TOOLS.confirm.actions.ask },
  input: { action: 'ask', ...TOOLS.input.actions.ask },
} as const;

/** `choice`, `confirm` or `input`. */
export type QuestionKind = keyof typeof QUESTIONS;
/** What a question is asked with. */
export type QuestionArguments<K extends QuestionKind> = z.infer<(typeof QUESTIONS)[K]['arguments']>;
/** What the user answered. */
export type QuestionResult<K extends QuestionKind> = z.infer<(typeof QUESTIONS)[K]['result']>;

/** How a call ended without a result. */
export interface Unanswered {
  status: Exclude<CallStatus, 'completed'>;
  /** Why, such as `rejected`, `expired` or `undeclared`. */
  code: string;
  message: string;
}

/** How a call ended (§6). */
export type Answer<R> = { status: 'completed'; result: R } | Unanswered;

/** A call that has to be answered for the work to go on was not. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
  readonly status: Unanswered['status'];
  readonly code: string;

  constructor({ status, code, message }: Unanswered) {
    super(message === '' ? `The call ended as ${status} (${code}).` : message);
    this.status = status;
    this.code = code;
  }
}

/** Reads the payload of a `tool.result`; the result is the device's own, an object with a `message`. */
export function readToolResult(ending: JsonObject): Answer<JsonObject & { message: string }> {
  const { error, result } = ending;
  if (isJsonObject(error)) return unanswered(STATUS_OF_CODE.get(textOf(error.code)) ?? 'failed', error);
  if (isJsonObject(result) && typeof result.message === 'string') return { status: 'completed', result: { ...result, message: result.message } };
  return { status: 'failed', code: 'invalid_result', message: "The device's answer is no result." };
}

/** As {@link readToolResult}, for a tool whose results are known (§11). */
export function readKnownResult<R>(schema: z.ZodType<R>, ending: JsonObject): Answer<R> {
  const answer = readToolResult(ending);
  if (answer.status !== 'completed') return answer;
  const read = schema.safeParse(answer.result);
  if (read.success) return { status: 'completed', result: read.data };
  return { status: 'failed', code: 'invalid_result', message: "The device's answer is not what this tool answers." };
}

/** Reads the payload of a `lineup.v1.app.result`; a result without data is an empty object. */
export function readAppResult(ending: JsonObject): Answer<JsonObject> {
  const status = STATUSES.find((each) => each === ending.status) ?? 'failed';
  if (status !== 'completed') return unanswered(status, isJsonObject(ending.error) ? ending.error : { code: status });
  return { status, result: isJsonObject(ending.result) ? ending.result : {} };
}

/** The result of a completed call. @throws UnansweredError of every other */
export function resultOf<R>(answer: Answer<R>): R {
  if (answer.status === 'completed') return answer.result;
  throw new UnansweredError(answer);
}

const STATUSES: readonly CallStatus[] = ['completed', 'rejected', 'cancelled', 'expired', 'unsupported', 'failed'];

/** §6: what an error code in a `tool.result` makes of the call; every other code is a failure. */
const STATUS_OF_CODE: ReadonlyMap<string, Unanswered['status']> = new Map([
  ['rejected', 'rejected'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
  ['unknown_tool', 'unsupported'],
  ['unknown_action', 'unsupported'],
]);

function unanswered(status: Unanswered['status'], error: JsonObject): Unanswered {
  return { status, code: textOf(error.code), message: textOf(error.message) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
