import { describe, expect, test } from 'vitest';
import { oneLine, Terminal, type Streams } from './terminal.ts';

function streams(isTTY: boolean): Streams & { said: () => [string, string] } {
  let [out, err] = ['', ''];
  return {
    out: { isTTY, write: (text) => (out += text) },
    err: { isTTY, write: (text) => (err += text) },
    said: () => [out, err],
  };
}

describe('a terminal', () => {
  test.each<[string, boolean, NodeJS.ProcessEnv, boolean, boolean]>([
    ['where somebody looks', true, {}, false, true],
    ['in a pipe', false, {}, false, false],
    ['with NO_COLOR', true, { NO_COLOR: '1' }, false, false],
    ['with an empty NO_COLOR', true, { NO_COLOR: '' }, false, true],
    ['that is dumb', true, { TERM: 'dumb' }, false, false],
    ['with --json', true, {}, true, false],
  ])('%s: colours are as wanted', (_where, isTTY, env, json, isWanted) => {
    const terminal = new Terminal(streams(isTTY), env);
    terminal.json = json;
    expect(terminal.paint('green', 'ok')).toBe(isWanted ? '\u001b[32mok\u001b[39m' : 'ok');
  });

  test('a person may read stderr while a script reads stdout', () => {
    const to = streams(true);
    to.out.isTTY = false;
    const terminal = new Terminal(to, {});
    expect([terminal.interactive, terminal.isWatched]).toEqual([false, true]);
    terminal.json = true;
    expect(terminal.isWatched).toBe(false);
    expect(new Terminal(streams(false), {}).isWatched).toBe(false);
  });

  test('results are text, or one line of JSON and nothing else', () => {
    const to = streams(false);
    const terminal = new Terminal(to, {});
    terminal.result({ a: 1 }, 'one');
    terminal.say('two');
    terminal.json = true;
    terminal.result({ a: '\n' }, 'three');
    terminal.say('four');
    terminal.note('five\nsix');
    expect(to.said()).toEqual(['one\ntwo\n{"a":"\\n"}\n', 'lineup: five six\n']);
  });

  test('tables keep their columns, with wide characters too', () => {
    const table = new Terminal(streams(false), {}).table(
      ['NAME', 'SEEN'],
      [
        ['我的手机', 'now'],
        ['a\u001b[2Jb', 'then'],
      ],
    );
    expect(table.split('\n')).toEqual(['NAME      SEEN', '我的手机  now', 'a [2Jb    then']);
  });

  test('whatever others named stays in its line', () => {
    expect(oneLine('a\r\n\u001b]0;title\u0007b\u009b31m ')).toBe('a ]0;title b 31m');
  });

  test('whatever others named cannot turn the direction of the line', () => {
    expect(oneLine('invoice\u202Egpj.exe\u2066x\u2028y')).toBe('invoice gpj.exe x y');
  });
});
