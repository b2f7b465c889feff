import { describe, expect, test } from 'vitest';
import { PRESETS, programOf } from './presets.ts';

describe('what lineup connect starts', () => {
  test.each([
    [['hermes'], ['hermes', 'acp']],
    [
      ['hermes', 'acp'],
      ['hermes', 'acp'],
    ],
    [
      ['gemini', '--yolo'],
      ['gemini', '--acp', '--yolo'],
    ],
    [
      ['copilot', '--acp', '--stdio', '--verbose'],
      ['copilot', '--acp', '--stdio', '--verbose'],
    ],
    [['claude'], ['npx', '-y', '@agentclientprotocol/claude-agent-acp']],
    [
      ['/opt/my agent', '--acp'],
      ['/opt/my agent', '--acp'],
    ],
    [['toString'], ['toString']],
  ])('%j is %j', (words, command) => {
    expect(programOf(words)?.command).toEqual(command);
  });

  test('a command is shown by the name of its program', () => {
    expect(programOf(['/opt/bin/my-agent', '--acp'])?.title).toBe('my-agent');
    expect(programOf(['claude'])?.title).toBe('Claude Code');
    expect(programOf([])).toBeNull();
  });

  test('the agents that are known by name', () => {
    expect(Object.keys(PRESETS)).toEqual(['hermes', 'claude', 'codex', 'gemini', 'qwen', 'opencode', 'goose', 'openclaw', 'copilot', 'cursor']);
  });
});
