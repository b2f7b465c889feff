import { expect, it } from 'vitest';
import { AgentWatch } from './agent-watch.ts';

const NAME = `\u202Esemreh${'W'.repeat(90)}`;
const SHOWN = /^\[U\+202E\]semrehW+…$/;

it('an agent’s name is fit to be shown, from the pairing and from the welcome', () => {
  const watch = new AgentWatch({ id: 'agt_1', name: 'Hermes\u200B' }, () => undefined);
  expect(watch.agent.name).toBe('Hermes[U+200B]');
  watch.welcome([{ kind: 'agent', id: 'agt_1', name: NAME, online: true, last_seen: null, received: 0 }], null);
  expect(watch.agent.name).toMatch(SHOWN);
  expect(watch.agent.name.length).toBeLessThanOrEqual(60);
});

it('nothing hides in what an agent says that it is doing', () => {
  const watch = new AgentWatch({ id: 'agt_1', name: 'Hermes' }, () => undefined);
  watch.setStatus({ state: 'working', detail: 'reading \u202Eexe.txt' }, null);
  expect(watch.status?.detail).toBe('reading [U+202E]exe.txt');
  watch.setProgress({ run_id: 'r', message: 'line one\nline\u200B two' });
  expect(watch.progress?.message).toBe('line one line[U+200B] two');
});
