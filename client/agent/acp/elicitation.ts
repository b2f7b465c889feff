/** Asks the user for what an agent wants to know (`elicitation/create`, form mode): one question after the other, one for each field of the form. */
import {
  ElicitationPropertySchema,
  MultiSelectItems,
  type CreateElicitationResponse,
  type ElicitationSchema,
  type EnumOption,
} from '@agentclientprotocol/sdk';
import type { CallEnding, ToolRequest } from './conversation-lines.ts';
import { distinctLabels, shorten } from './labels.ts';

type Value = string | number | boolean | string[];

/** What became of one answer: a value, nothing (the field is left out), or words on what to write instead. */
type Reading = { value: Value } | { wrong: string };

interface FieldQuestion {
  request: ToolRequest;
  read: (result: NonNullable<CallEnding['result']>) => Reading;
}

/** Asks the phone. */
export type Ask = (request: ToolRequest) => Promise<CallEnding>;

const MAX_QUESTION_UNITS = 1_500;
/** What a choice can hold (§11). */
const MAX_OPTIONS = 50;
/** How often an answer that does not fit is asked for again. */
const TRIES = 3;

/**
 * Asks a whole form. A field that must be filled and is dismissed declines the form; one that may be left out is left out.
 * A question that expires or is taken back cancels it.
 */
export async function elicit(message: string, schema: ElicitationSchema, ask: Ask): Promise<CreateElicitationResponse> {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return agree(message, ask);
  const content: Record<string, Value> = {};
  let first = true;
  for (const [name, property] of fields) {
    const answer = await askField(first ? message : '', name, property, ask);
    first = false;
    if (answer === 'cancel') return { action: 'cancel' };
    if (answer !== 'dismissed') content[name] = answer.value;
    else if (schema.required?.includes(name)) return { action: 'decline' };
  }
  return Object.keys(content).length === 0 ? { action: 'decline' } : { action: 'accept', content };
}

async function agree(message: string, ask: Ask): Promise<CreateElicitationResponse> {
  const question = shorten(message, MAX_QUESTION_UNITS) || 'The agent asks you to confirm';
  const { result, error } = await ask({ name: 'confirm', action: 'ask', arguments: { question } });
  if (result?.confirmed === true) return { action: 'accept', content: {} };
  return { action: result || error?.code === 'rejected' ? 'decline' : 'cancel' };
}

async function askField(
  message: string,
  name: string,
  property: ElicitationPropertySchema,
  ask: Ask,
): Promise<{ value: Value } | 'dismissed' | 'cancel'> {
  let remark = '';
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const question = questionFor([message, remark, wordsOf(name, property)].filter((part) => part !== '').join('\n\n'), property);
    const { result, error } = await ask(question.request);
    if (!result) return error?.code === 'rejected' ? 'dismissed' : 'cancel';
    const reading = question.read(result);
    if ('value' in reading) return reading;
    remark = reading.wrong;
  }
  return 'cancel';
}

function wordsOf(name: string, property: ElicitationPropertySchema): string {
  const { title, description } = property as { title?: unknown; description?: unknown };
  const label = typeof title === 'string' && title !== '' ? title : name;
  return typeof description === 'string' && description !== '' ? `${label}: ${description}` : label;
}

function questionFor(words: string, property: ElicitationPropertySchema): FieldQuestion {
  const question = shorten(words, MAX_QUESTION_UNITS);
  if (ElicitationPropertySchema.isBoolean(property)) {
    const request = { name: 'confirm', action: 'ask', arguments: { question, confirm_label: 'Yes', cancel_label: 'No' } };
    return { request, read: ({ confirmed }) => (typeof confirmed === 'boolean' ? { value: confirmed } : NO_ANSWER) };
  }
  if (ElicitationPropertySchema.isArray(property)) return choiceOf(question, optionsOfItems(property.items), true);
  if (ElicitationPropertySchema.isNumber(property) || ElicitationPropertySchema.isInteger(property)) {
    const isInteger = ElicitationPropertySchema.isInteger(property);
    return inputOf(question, property.default?.toString(), {}, (text) => readNumber(text, isInteger, property));
  }
  if (!ElicitationPropertySchema.isString(property)) return inputOf(question, undefined, {}, (text) => ({ value: text }));
  const options =
    property.oneOf?.map((option) => ({ value: option.const, label: option.title })) ?? property.enum?.map((value) => ({ value, label: value }));
  if (options && options.length > 0 && options.length <= MAX_OPTIONS) return choiceOf(question, options, false);
  const limit = property.maxLength === undefined || property.maxLength === null ? {} : { max_length: Math.max(1, property.maxLength) };
  return inputOf(question, property.default ?? undefined, limit, (text) =>
    readText(
      text,
      property,
      options?.map(({ value }) => value),
    ),
  );
}

interface Option {
  value: string;
  label: string;
}

function optionsOfItems(items: MultiSelectItems): Option[] {
  if (MultiSelectItems.isString(items)) return items.enum.map((value) => ({ value, label: value }));
  const { anyOf } = items as { anyOf?: EnumOption[] };
  return Array.isArray(anyOf) ? anyOf.map((option) => ({ value: option.const, label: option.title })) : [];
}

function choiceOf(question: string, options: readonly Option[], isMultiple: boolean): FieldQuestion {
  const shown = options.slice(0, MAX_OPTIONS);
  const labels = distinctLabels(shown.map(({ label }) => label));
  const multiple = isMultiple ? { multiple: true } : {};
  return {
    request: { name: 'choice', action: 'select', arguments: { question, options: labels, ...multiple } },
    read: ({ selected }) => {
      if (!Array.isArray(selected)) return NO_ANSWER;
      const values = selected.flatMap((label) => shown[labels.indexOf(String(label))]?.value ?? []);
      const [value] = values;
      if (isMultiple) return { value: values };
      return value === undefined ? NO_ANSWER : { value };
    },
  };
}

function inputOf(question: string, preset: string | undefined, limit: { max_length?: number }, read: (text: string) => Reading): FieldQuestion {
  return {
    request: { name: 'input', action: 'ask', arguments: { question, ...(preset !== undefined && preset !== '' && { default: preset }), ...limit } },
    read: ({ value }) => (typeof value === 'string' ? read(value) : NO_ANSWER),
  };
}

const NO_ANSWER: Reading = { wrong: 'That was no answer to this question.' };

function readNumber(text: string, isInteger: boolean, { minimum, maximum }: { minimum?: number | null; maximum?: number | null }): Reading {
  const value = Number(text.trim() === '' ? Number.NaN : text.trim().replace(/^(-?\d+),(\d+)$/, '$1.$2'));
  if (!Number.isFinite(value)) return { wrong: `"${shorten(text, 40)}" is no number.` };
  if (isInteger && !Number.isSafeInteger(value)) return { wrong: `${value} is no whole number.` };
  if (typeof minimum === 'number' && value < minimum) return { wrong: `${value} is below ${minimum}.` };
  if (typeof maximum === 'number' && value > maximum) return { wrong: `${value} is above ${maximum}.` };
  return { value };
}

function readText(
  text: string,
  { minLength, maxLength }: { minLength?: number | null; maxLength?: number | null },
  allowed?: readonly string[],
): Reading {
  const { length } = [...text];
  if (typeof minLength === 'number' && length < minLength) return { wrong: `At least ${minLength} characters are needed.` };
  if (typeof maxLength === 'number' && length > maxLength) return { wrong: `At most ${maxLength} characters are possible.` };
  if (allowed && !allowed.includes(text)) return { wrong: `Possible are: ${allowed.join(', ')}` };
  return { value: text };
}
