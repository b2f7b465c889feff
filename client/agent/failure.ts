/** Any error as the one line and the exit code that a command ends with. */
import { CommanderError } from 'commander';
import { NetworkError, RelayError } from '../core/errors.ts';
import { AgentBusyError } from './agent-claim.ts';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';
import { TokenError } from './agent-options.ts';
import { SetupError } from './setup.ts';

/** What a person reads, and what a script gets. */
export interface Failure {
  exitCode: ExitCode;
  message: string;
}

/** What systems call their troubles, for those that a user can do something about. */
const SYSTEM: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EACCES', 'no permission'],
  ['EPERM', 'no permission'],
  ['EROFS', 'the disk is read-only'],
  ['EADDRINUSE', 'the port is taken: another program listens there'],
  ['EMFILE', 'too many files are open'],
]);

/** Reads an error. Never a stack, never a token. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof CommanderError) return { exitCode: EXIT.usage, message: usageMessage(error) };
  if (error instanceof AgentBusyError) return { exitCode: EXIT.replaced, message: error.message };
  if (error instanceof TokenError || error instanceof SetupError) return { exitCode: EXIT.usage, message: error.message };
  if (error instanceof NetworkError) return failureOfNetwork(error);
  if (error instanceof RelayError) return refusal(error);
  return { exitCode: EXIT.failed, message: systemMessage(error) };
}

function usageMessage({ message }: CommanderError): string {
  return `${message.replace(/^error: /, '').replace(/\.$/, '')} (lineup --help)`;
}

function refusal(error: RelayError): Failure {
  if (error.status === 401) {
    return {
      exitCode: EXIT.unauthorized,
      message: 'the relay does not take this token: run "lineup setup --renew", or give a new LINEUP_AGENT_TOKEN',
    };
  }
  const later = error.retryAfter === undefined ? '' : `, try again in ${error.retryAfter} s`;
  return { exitCode: EXIT.refused, message: `the relay refused: ${error.message.replace(/\.$/, '')} (${error.code})${later}` };
}

function failureOfNetwork(error: NetworkError): Failure {
  const doctor = '("lineup doctor" looks for the reason, before setup with the relay\'s address)';
  if (isStranger(error)) return { exitCode: EXIT.refused, message: `something else than a relay answers at its address ${doctor}` };
  const reason = reasonOf(error);
  return { exitCode: EXIT.unreachable, message: `the relay cannot be reached${reason === '' ? '' : `: ${reason}`} ${doctor}` };
}

/** Whether an answer came that no relay gives: a page of another program, or of a network that wants a login. */
export function isStranger({ cause }: NetworkError): boolean {
  return cause instanceof SyntaxError;
}

/** The innermost reason that the platform gave for a connection that failed; empty when it gave none. */
export function reasonOf({ cause }: NetworkError): string {
  if (!(cause instanceof Error)) return '';
  if (cause.name === 'TimeoutError') return 'no answer in time';
  const inner: unknown = cause.cause instanceof AggregateError ? cause.cause.errors[0] : (cause.cause ?? cause);
  return inner instanceof Error ? inner.message : '';
}

function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = 'code' in error && typeof error.code === 'string' ? SYSTEM.get(error.code) : undefined;
  if (known === undefined) return error.message;
  const where = 'path' in error && typeof error.path === 'string' ? `${error.path}: ` : '';
  return `${where}${known}`;
}
