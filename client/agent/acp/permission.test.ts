import type { PermissionOption } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { askPermission } from './permission.ts';

const once: PermissionOption[] = [
  { optionId: 'a', name: 'Allow', kind: 'allow_once' },
  { optionId: 'r', name: 'Reject', kind: 'reject_once' },
];
const ask = (options: PermissionOption[], toolCall: object = { title: 'Edit' }) =>
  askPermission({ sessionId: 's', toolCall: { toolCallId: 't', ...toolCall }, options });
const CANCELLED = { outcome: { outcome: 'cancelled' } };

describe('permissions', () => {
  test('the question says what would be done, once', () => {
    const question = (toolCall: object) => ask(once, toolCall)?.request.arguments.question;
    expect(question({ title: 'Run a command', rawInput: { command: ['rm', '-rf', 'x'] } })).toBe('Run a command\n\nrm -rf x');
    expect(question({ title: '`rm x`', rawInput: { command: 'rm x' } })).toBe('`rm x`');
    expect(question({ title: 'Write', rawInput: { path: 7, file_path: '/etc/hosts' } })).toBe('Write\n\n/etc/hosts');
    expect(question({ title: null })).toBe('The agent asks for your permission');
    expect(String(question({ title: '👋'.repeat(2_000) })).isWellFormed()).toBe(true);
  });

  test('options with the same name can be told apart', () => {
    const asked = ask([...once, { optionId: 'b', name: 'Allow', kind: 'allow_always' }, { optionId: 'c', name: ' ', kind: 'allow_always' }]);
    expect(asked?.request).toMatchObject({ name: 'choice', arguments: { options: ['Allow', 'Reject', 'Allow (2)', 'Option 4'] } });
    expect(asked?.read({ result: { message: '', selected: ['Allow (2)'] } })).toEqual({ outcome: { outcome: 'selected', optionId: 'b' } });
  });

  test('what is no answer grants nothing', () => {
    expect(ask([])).toBeNull();
    for (const asked of [ask(once), ask([...once, { optionId: 'b', name: 'Always', kind: 'allow_always' }])]) {
      for (const result of [
        undefined,
        { message: 'yes' },
        { message: '', confirmed: 'yes', selected: 'Allow' },
        { message: '', selected: [] },
        { message: '', selected: ['Else'] },
      ]) {
        expect(asked?.read(result ? { result } : { error: { code: 'expired', message: '' } })).toEqual(CANCELLED);
      }
    }
  });
});
