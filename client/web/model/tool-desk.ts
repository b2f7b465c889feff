/** What this device does with a `tool.call`: answer it by itself, ask the user, or hand it to the drawing boards (§11). */
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import {
  checkToolCall,
  type CanvasCall,
  type CheckedCall,
  type ChoiceArguments,
  type ConfirmArguments,
  type InputArguments,
  type ToolName,
} from '../../../src/protocol/tools.ts';

/** The tools that this version has; `tool.list` answers these and no others. */
export const OFFERED_TOOLS: readonly ToolName[] = ['choice', 'confirm', 'input', 'calculator', 'canvas'];

/** A question for the user. */
export type Question =
  | { tool: 'choice'; arguments: ChoiceArguments }
  | { tool: 'confirm'; arguments: ConfirmArguments }
  | { tool: 'input'; arguments: InputArguments };

/** What the user answered; `dismissed` is no answer, and the agent hears `rejected`. */
export type Answer =
  | { tool: 'choice'; selected: string[] }
  | { tool: 'confirm'; confirmed: boolean }
  | { tool: 'input'; value: string }
  | { tool: 'dismissed' };

type ToolCall = Payloads['tool.call'];
type ToolResult = Payloads['tool.result'];

/** What to do with a call. */
export type Decision = { do: 'ask'; question: Question } | { do: 'answer'; result: ToolResult } | { do: 'draw'; call: CanvasCall };

const decided = new WeakMap<ToolCall, Decision>();

/** Decides on a call whose payload the relay has checked. The same call always gets the same decision. */
export function decide(call: ToolCall): Decision {
  const known = decided.get(call);
  if (known) return known;
  const decision = look(call);
  decided.set(call, decision);
  return decision;
}

/** Whether the user is to be asked. Of a sealed call nothing can be known. */
export function isQuestion(call: ToolCall): boolean {
  return call.sealed === undefined && decide(call).do === 'ask';
}

function look(call: ToolCall): Decision {
  const checked = checkToolCall({ name: call.name, action: call.action, arguments: call.arguments as JsonObject }, OFFERED_TOOLS);
  if (!checked.ok) return { do: 'answer', result: { ...heading(call), error: { ...checked.error } } };
  const { value } = checked;
  switch (value.name) {
    case 'choice':
    case 'confirm':
    case 'input':
      return { do: 'ask', question: { tool: value.name, arguments: value.arguments } as Question };
    case 'calculator':
      return { do: 'answer', result: { ...heading(call), ...calculate(value) } };
    case 'canvas':
      return { do: 'draw', call: value };
  }
}

/** The `tool.result` for what the user answered. */
export function resultOf(call: ToolCall, answer: Answer): ToolResult {
  switch (answer.tool) {
    case 'choice':
      return { ...heading(call), result: { message: answer.selected.join(', '), selected: answer.selected } };
    case 'confirm':
      return { ...heading(call), result: { message: answer.confirmed ? 'confirmed' : 'declined', confirmed: answer.confirmed } };
    case 'input':
      return { ...heading(call), result: { message: answer.value, value: answer.value } };
    case 'dismissed':
      return { ...heading(call), error: { code: 'rejected', message: 'The user dismissed the question.' } };
  }
}

/** A result repeats the call's name and action; one without an action gets the only action that its tool has. */
function heading(call: ToolCall): Pick<ToolResult, 'name' | 'action' | 'call_id'> {
  const action = call.action ?? (call.name === 'choice' ? 'select' : call.name === 'confirm' || call.name === 'input' ? 'ask' : undefined);
  return { name: call.name, ...(action !== undefined && { action }), call_id: call.call_id };
}

function calculate(call: Extract<CheckedCall, { name: 'calculator' }>): Pick<ToolResult, 'result' | 'error'> {
  const { a, b } = call.arguments;
  if (call.action === 'divide' && b === 0) return { error: { code: 'execution_error', message: 'Division by zero.' } };
  const value = { add: a + b, subtract: a - b, multiply: a * b, divide: a / b }[call.action];
  // The relay refuses numbers that JavaScript does not hold exactly (§5), so such a result is told as what it is.
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    return { error: { code: 'execution_error', message: 'The result is too large to be exact.' } };
  }
  return { result: { message: String(value), value } };
}
