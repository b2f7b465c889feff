import { describe, expect, it } from 'vitest';
import { checkToolCall, describeTools, type ToolName } from './tools.ts';

const offered: readonly ToolName[] = ['choice', 'confirm', 'input', 'calculator'];
const check = (name: string, action: string | undefined, args: Record<string, unknown>) =>
  checkToolCall({ name, action, arguments: args as never }, offered);

describe('checking a tool call', () => {
  it('takes a call without its action when the tool has only one', () => {
    expect(check('choice', undefined, { question: 'Where?', options: ['a'] })).toEqual({
      ok: true,
      value: { name: 'choice', action: 'select', arguments: { question: 'Where?', options: ['a'] } },
    });
  });

  it('names the field that is wrong', () => {
    for (const [name, action, args, place] of [
      ['choice', 'select', { question: 'Where?', options: [] }, 'arguments.options'],
      ['choice', 'select', { question: 'Where?', options: ['a', 2] }, 'arguments.options[1]'],
      ['choice', 'select', { options: ['a'] }, 'arguments.question'],
      ['confirm', 'ask', { question: 'Sure?', danger: 'yes' }, 'arguments.danger'],
      ['input', 'ask', { question: 'Name?', max_length: 0 }, 'arguments.max_length'],
      ['calculator', 'add', { a: 1 }, 'arguments.b'],
    ] as const) {
      const refused = check(name, action, args);
      expect(refused).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
      if (!refused.ok) expect(refused.error.message).toContain(`${place}:`);
    }
  });

  it('refuses more than 50 options', () => {
    const options = Array.from({ length: 51 }, (_, i) => `option ${i}`);
    expect(check('choice', 'select', { question: 'Which?', options })).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  });

  it('tells an unknown tool from an unknown action', () => {
    expect(check('toaster', 'toast', {})).toMatchObject({ error: { code: 'unknown_tool' } });
    expect(check('calculator', 'power', { a: 1, b: 2 })).toMatchObject({ error: { code: 'unknown_action' } });
    expect(check('calculator', undefined, { a: 1, b: 2 })).toMatchObject({ error: { code: 'unknown_action' } });
    expect(check('choice', 'constructor', {})).toMatchObject({ error: { code: 'unknown_action' } });
  });

  it('does not know a tool that this device does not offer', () => {
    expect(check('canvas', 'open', { width: 1, height: 1 })).toMatchObject({ error: { code: 'unknown_tool' } });
  });
});

describe('describing tools', () => {
  it('gives a tool of type action one schema, and others a list of actions', () => {
    const [choice, calculator] = describeTools(['choice', 'calculator']);
    expect(choice).toMatchObject({ name: 'choice', type: 'action', inputSchema: { type: 'object', required: ['question', 'options'] } });
    expect(choice).not.toHaveProperty('actions');
    expect(calculator?.actions?.map((action) => action.name)).toEqual(['add', 'subtract', 'multiply', 'divide']);
    expect(calculator?.actions?.[0]?.inputSchema).toMatchObject({ required: ['a', 'b'], properties: { a: { type: 'number' } } });
  });

  it('tells bounds that a caller can check beforehand', () => {
    const [choice] = describeTools(['choice']);
    expect(choice?.inputSchema).toMatchObject({ properties: { options: { minItems: 1, maxItems: 50 } } });
  });

  it('stays small enough for one frame', () => {
    expect(JSON.stringify(describeTools([...offered, 'canvas'])).length).toBeLessThan(16_384);
  });
});
