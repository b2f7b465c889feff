/** Questions to the user whose answers may come hours later, to another process: each has a name, and under that name its answer is handled. */
import type { z } from 'zod';
import type { CallStatus } from '../../src/protocol/handshake.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Payloads } from '../../src/protocol/messages.ts';
import { TOOLS } from '../../src/protocol/tools.ts';
import type { Chat } from './chat.ts';

/** The tools that ask the user something (§11): their schemas, and the action that a call names. */
const KINDS = {
  choice: { action: 'select', ...TOOLS.choice.actions.select },
  confirm: { action: 'ask', ...TOOLS.confirm.actions.ask },
  input: { action: 'ask', ...TOOLS.input.actions.ask },
} as const;

/** `choice`, `confirm` or `input`. */
export type QuestionKind = keyof typeof KINDS;
/** What a question is asked with. */
export type QuestionArguments<K extends QuestionKind> = z.infer<(typeof KINDS)[K]['arguments']>;
/** What the user answered. */
export type QuestionResult<K extends QuestionKind> = z.infer<(typeof KINDS)[K]['result']>;

/** How a question ended without an answer. */
export interface Unanswered {
  status: Exclude<CallStatus, 'completed'>;
  /** The code of the `tool.result`, such as `rejected` or `expired`. */
  code: string;
  message: string;
}

/** How a question ended (§6). */
export type Answer<K extends QuestionKind> = { status: 'completed'; result: QuestionResult<K> } | Unanswered;

/** Handles one answer. `note` is what was given to {@link Chat.ask}. */
export type AnswerHandler<K extends QuestionKind> = (chat: Chat, answer: Answer<K>, note: JsonObject) => Promise<void> | void;

/** A question that can be asked. */
export interface Question<K extends QuestionKind> {
  /** Unique in the agent, and the same in the next version of it: answers to open calls find their handler by it. */
  readonly name: string;
  readonly kind: K;
  readonly action: string;
}

/** The questions of an agent. */
export class Questions {
  readonly #handlers = new Map<string, (chat: Chat, ending: Ending, note: JsonObject) => Promise<void> | void>();

  /** @throws Error when the name is taken: a bug of the agent */
  add<K extends QuestionKind>(kind: K, name: string, handler: AnswerHandler<K>): Question<K> {
    if (this.#handlers.has(name)) throw new Error(`the question "${name}" exists already`);
    this.#handlers.set(name, (chat, ending, note) => handler(chat, readAnswer(kind, ending), note));
    return { name, kind, action: KINDS[kind].action };
  }

  /** Runs the handler of a question. A question that this version of the agent no longer has is dropped. */
  async answer(name: string, chat: Chat, ending: Ending, note: JsonObject): Promise<void> {
    await this.#handlers.get(name)?.(chat, ending, note);
  }
}

/** The part of a `tool.result` that says how a call ended. */
export type Ending = Pick<Payloads['tool.result'], 'result' | 'error'>;

function readAnswer<K extends QuestionKind>(kind: K, ending: Ending): Answer<K> {
  if (ending.error) {
    const { code, message } = ending.error;
    return { status: STATUS_OF_CODE.get(code) ?? 'failed', code, message };
  }
  const read = KINDS[kind].result.safeParse(ending.result);
  if (read.success) return { status: 'completed', result: read.data as QuestionResult<K> };
  return { status: 'failed', code: 'invalid_result', message: `The device's answer is no result of ${kind}.` };
}

/** §6: what an error code in a `tool.result` makes of the call; every other code is a failure. */
const STATUS_OF_CODE: ReadonlyMap<string, Unanswered['status']> = new Map([
  ['rejected', 'rejected'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
  ['unknown_tool', 'unsupported'],
  ['unknown_action', 'unsupported'],
]);
