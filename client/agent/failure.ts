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
  if (error instanceof NetworkError)
    return { exitCode: EXIT.unreachable, message: `the relay cannot be reached${because(error.cause)} ("lineup doctor" looks for the reason)` };
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

/** The innermost reason that the platform gave for a connection that failed. */
function because(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const inner = cause.cause instanceof AggregateError ? (cause.cause.errors as unknown[])[0] : (cause.cause ?? cause);
  if (cause.name === 'TimeoutError') return ': no answer in time';
  return inner instanceof Error && inner.message !== '' ? `: ${inner.message}` : '';
}

function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = 'code' in error && typeof error.code === 'string' ? SYSTEM.get(error.code) : undefined;
  if (known === undefined) return error.message;
  const where = 'path' in error && typeof error.path === 'string' ? `${error.path}: ` : '';
  return `${where}${known}`;
}
