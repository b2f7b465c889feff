import type { ElicitationSchema } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import type { CallEnding, ToolRequest } from './conversation-lines.ts';
import { elicit } from './elicitation.ts';

const value = (text: string): CallEnding => ({ result: { message: text, value: text } });
const selected = (...options: string[]): CallEnding => ({ result: { message: '', selected: options } });
const confirmed = (yes: boolean): CallEnding => ({ result: { message: '', confirmed: yes } });
const error = (code: string): CallEnding => ({ error: { code, message: '' } });

/** A user who gives these answers, one after the other. */
async function form(properties: NonNullable<ElicitationSchema['properties']>, answers: CallEnding[], required = Object.keys(properties)) {
  const asked: ToolRequest[] = [];
  const ask = (request: ToolRequest) => {
    asked.push(request);
    return Promise.resolve(answers[asked.length - 1] ?? error('expired'));
  };
  return { answer: await elicit('Please', { type: 'object', properties, required }, ask), asked };
}

describe('one field', () => {
  test.each([
    ['a text', { type: 'string', default: 'Ada', maxLength: 9 }, value('Bob'), 'Bob', { default: 'Ada', max_length: 9 }],
    ['a number', { type: 'number', default: 1.5 }, value(' -2,5 '), -2.5, { default: '1.5' }],
    ['a whole number', { type: 'integer' }, value('7'), 7, {}],
    ['a choice', { type: 'string', enum: ['a', 'b'] }, selected('b'), 'b', { options: ['a', 'b'] }],
    [
      'a choice with titles',
      {
        type: 'string',
        oneOf: [
          { const: 'x', title: 'Same' },
          { const: 'y', title: 'Same' },
        ],
      },
      selected('Same (2)'),
      'y',
      { options: ['Same', 'Same (2)'] },
    ],
    ['several of a list', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, selected('a', 'b'), ['a', 'b'], { multiple: true }],
    ['several with titles', { type: 'array', items: { anyOf: [{ const: 'x', title: 'X!' }] } }, selected('X!'), ['x'], { options: ['X!'] }],
    ['yes or no', { type: 'boolean' }, confirmed(false), false, { confirm_label: 'Yes', cancel_label: 'No' }],
    ['a kind of the future', { type: 'colour' }, value('red'), 'red', {}],
  ] as const)('%s', async (_, property, given, content, args) => {
    const { answer, asked } = await form({ field: property as never }, [given]);
    expect(answer).toEqual({ action: 'accept', content: { field: content } });
    expect(asked[0]?.arguments).toMatchObject({ question: 'Please\n\nfield', ...args });
  });

  test.each([
    [{ type: 'integer', minimum: 1, maximum: 9 }, ['x', '0', '5'], ['"x" is no number.', '0 is below 1.']],
    [{ type: 'integer' }, ['1.5', '2'], ['1.5 is no whole number.']],
    [{ type: 'number', maximum: 9 }, ['', '10', '5'], ['"" is no number.', '10 is above 9.']],
    [{ type: 'string', minLength: 2 }, ['x', 'xy'], ['At least 2 characters are needed.']],
    [{ type: 'string', enum: Array.from({ length: 60 }, (__, i) => `o${i}`) }, ['nothing', 'o59'], ['Possible are: o0, o1']],
  ] as const)('%j: %j is asked for again', async (property, texts, remarks) => {
    const { answer, asked } = await form({ field: property as never }, texts.map(value));
    expect(answer.action).toBe('accept');
    expect(asked.slice(1).map((request, i) => String(request.arguments.question).includes(remarks[i]!))).toEqual(remarks.map(() => true));
  });

  test('after three answers that do not fit the form is cancelled', async () => {
    const { answer, asked } = await form({ field: { type: 'integer' } }, ['a', 'b', 'c', '1'].map(value));
    expect([answer, asked.length]).toEqual([{ action: 'cancel' }, 3]);
  });
});

describe('a whole form', () => {
  test('the message comes with the first question alone', async () => {
    const { asked } = await form({ a: { type: 'string', title: 'A', description: 'first' }, b: { type: 'string' } }, [value('1'), value('2')]);
    expect(asked.map((request) => request.arguments.question)).toEqual(['Please\n\nA: first', 'b']);
  });

  test.each([
    ['a dismissed field that must be filled declines it', [value('1'), error('rejected')], ['a', 'b'], { action: 'decline' }],
    ['a dismissed field that may be left out is left out', [value('1'), error('rejected')], ['a'], { action: 'accept', content: { a: '1' } }],
    ['all dismissed is declined', [error('rejected'), error('rejected')], [], { action: 'decline' }],
    ['one that expires cancels it', [value('1'), error('expired')], ['a'], { action: 'cancel' }],
    ['one that no device can ask cancels it', [error('unknown_tool')], [], { action: 'cancel' }],
  ])('%s', async (_, answers, required, outcome) => {
    expect((await form({ a: { type: 'string' }, b: { type: 'string' } }, answers, required)).answer).toEqual(outcome);
  });

  test.each([
    [confirmed(true), { action: 'accept', content: {} }],
    [confirmed(false), { action: 'decline' }],
    [error('rejected'), { action: 'decline' }],
    [error('expired'), { action: 'cancel' }],
  ])('without fields it is a question to agree to: %j', async (given, outcome) => {
    expect((await form({}, [given])).answer).toEqual(outcome);
  });
});
