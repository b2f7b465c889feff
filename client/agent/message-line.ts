/** One message as one line for a person. */
import type { Delivered } from '../../src/protocol/envelope.ts';
import { isJsonObject, type Json } from '../../src/protocol/json.ts';
import { oneLine, type Terminal } from './terminal.ts';

const MAX_CHARACTERS = 400;

/** Stands for what was typed hidden. */
const HIDDEN = '•••';

/** Which answers of a conversation may be shown: those whose question was seen, and was not secret. To be told of every message in order. */
export class OpenQuestions {
  readonly #callIds = new Set<string>();

  /** Whether this message may be shown as it is. */
  admits({ type, payload }: Delivered): boolean {
    if (payload.name !== 'input' || typeof payload.call_id !== 'string') return true;
    if (type === 'tool.call' && isJsonObject(payload.arguments) && payload.arguments.secret !== true) this.#callIds.add(payload.call_id);
    return type !== 'tool.result' || isJsonObject(payload.error) || this.#callIds.has(payload.call_id);
  }
}

/** The time, who, and what: never more than a line, whatever the message holds. @param isOpen false: what was answered is not shown */
export function lineOf(frame: Delivered, terminal: Terminal, isOpen: boolean): string {
  const time = new Date(frame.ts ?? 0).toLocaleTimeString('sv-SE');
  const who = { agent: 'agent', app: 'you', relay: 'relay' }[frame.sender.kind];
  const colour = frame.sender.kind === 'app' ? 'cyan' : 'green';
  return `${terminal.paint('dim', time)} ${terminal.paint(colour, who.padEnd(5))} ${isOpen ? shorten(oneLine(contentOf(frame))) : `(input) ${HIDDEN}`}`;
}

function contentOf({ type, payload }: Delivered): string {
  if (payload.sealed !== undefined) return `(${type}, sealed)`;
  switch (type) {
    case 'text':
      return text(payload.content);
    case 'text.edit':
      return `(edited) ${text(payload.content)}`;
    case 'image':
      return `(image) ${text(payload.caption ?? payload.alt ?? '')}`;
    case 'file':
      return `(file) ${text(payload.name)}`;
    case 'error':
      return `(error ${text(payload.code)}) ${text(payload.message)}`;
    case 'tool.call':
      return `(${text(payload.name)}) ${isJsonObject(payload.arguments) ? text(payload.arguments.question ?? payload.action ?? '') : ''}`;
    case 'tool.result':
      return `(${text(payload.name)}) ${resultOf(payload.result, payload.error)}`;
    default:
      return `(${type})`;
  }
}

function resultOf(result: Json | undefined, error: Json | undefined): string {
  if (isJsonObject(error)) return text(error.code);
  return isJsonObject(result) ? text(result.message) : '';
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function shorten(line: string): string {
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…` : line;
}
