import { describe, expect, it } from 'vitest';
import { decide, resultOf } from './tool-desk.ts';

const call = (name: string, action: string | undefined, args: Record<string, unknown>) => ({
  name,
  ...(action !== undefined && { action }),
  call_id: 'c1',
  arguments: args as never,
});
const answerOf = (name: string, action: string | undefined, args: Record<string, unknown>) => {
  const decision = decide(call(name, action, args));
  if (decision.do !== 'answer') throw new Error('asked the user');
  return decision.result;
};

describe('the calculator', () => {
  it('answers by itself', () => {
    expect(answerOf('calculator', 'add', { a: 2, b: 3 })).toEqual({
      name: 'calculator',
      action: 'add',
      call_id: 'c1',
      result: { message: '5', value: 5 },
    });
    expect(answerOf('calculator', 'divide', { a: 1, b: 4 }).result).toEqual({ message: '0.25', value: 0.25 });
  });

  it('says that it cannot divide by zero', () => {
    expect(answerOf('calculator', 'divide', { a: 1, b: 0 }).error?.code).toBe('execution_error');
    expect(answerOf('calculator', 'divide', { a: 1, b: -0 }).error?.code).toBe('execution_error');
  });

  it('never answers a number that the relay would refuse', () => {
    expect(answerOf('calculator', 'multiply', { a: 1e308, b: 10 }).error?.code).toBe('execution_error');
    expect(answerOf('calculator', 'add', { a: Number.MAX_SAFE_INTEGER, b: 1 }).error?.code).toBe('execution_error');
  });
});

describe('a call that cannot be shown', () => {
  it('is answered with the reason and the field', () => {
    expect(answerOf('choice', 'select', { question: 'Where?', options: 'here' }).error).toEqual({
      code: 'invalid_arguments',
      message: expect.stringContaining('arguments.options:') as string,
    });
    expect(answerOf('toaster', 'toast', {}).error?.code).toBe('unknown_tool');
    expect(answerOf('canvas', 'open', { width: 0, height: 10 }).error?.code).toBe('invalid_arguments');
    expect(answerOf('choice', 'ask', { question: 'Where?', options: ['a'] }).error?.code).toBe('unknown_action');
  });
});

describe('what the user answered', () => {
  const choice = call('choice', undefined, { question: 'Where?', options: ['here', 'there'] });

  it('becomes a result that names tool, action and call', () => {
    expect(resultOf(choice, { tool: 'choice', selected: ['here', 'there'] })).toEqual({
      name: 'choice',
      action: 'select',
      call_id: 'c1',
      result: { message: 'here, there', selected: ['here', 'there'] },
    });
    expect(resultOf(call('confirm', 'ask', {}), { tool: 'confirm', confirmed: false }).result).toEqual({ message: 'declined', confirmed: false });
    expect(resultOf(call('input', 'ask', {}), { tool: 'input', value: 'x' }).result).toEqual({ message: 'x', value: 'x' });
  });

  it('is a rejection when the question was dismissed', () => {
    expect(resultOf(choice, { tool: 'dismissed' }).error?.code).toBe('rejected');
  });
});
