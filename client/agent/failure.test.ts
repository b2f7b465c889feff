import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { NetworkError, RelayError } from '../core/errors.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { failureOf } from './failure.ts';

const refusal = (status: number, code: string, retryAfter?: number) =>
  new RelayError({ status, code, message: 'The reason.', retryable: false, ...(retryAfter !== undefined && { retryAfter }) });
const system = (code: string, path?: string) => Object.assign(new Error(`${code}: whatever`), { code, ...(path !== undefined && { path }) });

test.each<[string, unknown, number, string]>([
  ['a command error', new CommandError(EXIT.program, 'it ended'), 8, 'it ended'],
  ['wrong usage', new CommanderError(1, 'commander.unknownOption', "error: unknown option '--x'."), 2, "unknown option '--x' (lineup --help)"],
  ['a token that is not taken', refusal(401, 'unauthorized'), 3, 'run "lineup setup --renew"'],
  ['a refusal', refusal(409, 'too_many'), 7, 'the relay refused: The reason (too_many)'],
  ['a refusal for now', refusal(429, 'rate_limited', 7), 7, 'try again in 7 s'],
  [
    'no network',
    new NetworkError(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') })),
    6,
    'connect ECONNREFUSED 127.0.0.1:9',
  ],
  ['no network on both families', new NetworkError(new TypeError('fetch failed', { cause: new AggregateError([new Error('first')]) })), 6, ': first'],
  ['no answer', new NetworkError(new DOMException('late', 'TimeoutError')), 6, 'no answer in time'],
  ['a page that no relay gives', new NetworkError(new SyntaxError('Unexpected token <')), 7, 'something else than a relay'],
  ['a full disk', system('ENOSPC', '/home/a'), 1, '/home/a: the disk is full'],
  ['a taken port', system('EADDRINUSE'), 1, 'the port is taken'],
  ['a folder of somebody else', system('EACCES', '/root'), 1, '/root: no permission'],
  ['anything else', new Error('odd'), 1, 'odd'],
  ['no error at all', 'text', 1, 'text'],
])('%s', (_what, error, exitCode, said) => {
  const failure = failureOf(error);
  expect(failure.exitCode).toBe(exitCode);
  expect(failure.message).toContain(said);
  expect(failure.message).not.toContain('\n');
});
