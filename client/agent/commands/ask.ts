/** `lineup ask`: asks the user's phone, for scripts. The answer is on stdout, and how it went in the exit code. */
import { join } from 'node:path';
import { Option } from 'commander';
import { ID_PATTERN } from '../../../src/protocol/ids.ts';
import { canonicalJson, type JsonObject } from '../../../src/protocol/json.ts';
import { QUESTIONS, readKnownResult, type Answer, type QuestionKind, type QuestionResult, type Unanswered } from '../answers.ts';
import { awaitResult, cancelCall, placeCall, type AskedCall } from '../asked-call.ts';
import { CallMemory } from '../call-memory.ts';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { makePrivateFolder } from '../private-file.ts';
import { readSeconds } from '../read-seconds.ts';
import { clockSkew } from '../relay-clock.ts';
import { advised } from '../typed-command.ts';
import { NetworkError } from '../../core/errors.ts';
import { randomId } from '../../core/random-id.ts';

interface Options {
  confirm?: true;
  danger?: true;
  multiple?: true;
  other?: true;
  secret?: true;
  placeholder?: string;
  conversation?: string;
  id?: string;
  timeout?: number;
  wait: number;
}

const EXAMPLES = `
With options it asks to choose, with --confirm for a yes or a no, otherwise for a text.

Examples:
  $ lineup ask "Deploy?" test staging production
  $ lineup ask --confirm "Restart the server?" --timeout 300 && systemctl restart web
  $ name=$(lineup ask "What may I call you?")
  $ lineup ask --id release-1.4 "Release 1.4?" yes no      # the same id again: the same answer, not asked twice

Exit codes:
  0   answered (--confirm: yes); the answer is on stdout
  10  declined, or closed without an answer
  11  nobody answered in time
  12  taken back
  13  no device could ask it
  others as "lineup --help" says`;

/** What stdout does not say. */
const UNANSWERED: Record<Unanswered['status'], { exitCode: ExitCode; message: string }> = {
  rejected: { exitCode: EXIT.declined, message: 'the question was closed without an answer' },
  expired: { exitCode: EXIT.expired, message: 'nobody answered in time' },
  cancelled: { exitCode: EXIT.cancelled, message: 'the question was taken back' },
  unsupported: { exitCode: EXIT.unanswerable, message: 'the device does not know this kind of question' },
  failed: { exitCode: EXIT.unanswerable, message: 'the question could not be asked' },
};

export const addAsk: AddCommand = (program, line) => {
  program
    .command('ask')
    .summary('ask your phone, and print the answer: for scripts')
    .description('Asks on every paired device; the first answer counts. It does not disturb a running agent.')
    .argument('<question>')
    .argument('[options...]', 'what can be chosen')
    .addOption(new Option('--confirm', 'a yes or a no').conflicts(['multiple', 'other', 'secret', 'placeholder']))
    .option('--danger', 'with --confirm: it cannot be undone')
    .option('--multiple', 'several options may be chosen; each is a line of the answer')
    .option('--other', 'another answer than the options may be written')
    .option('--secret', 'the text is hidden while it is typed')
    .option('--placeholder <text>', 'shown while the field is empty')
    .option('--timeout <seconds>', 'how long the question is open. Default: a day', readSeconds)
    .option('--wait <seconds>', 'how long to try until the relay has the question', readSeconds, 60)
    .option('--id <id>', 'names the question: asked again, it is the same question and has the same answer')
    .option('--conversation <id>', "where. Default: the agent's first conversation")
    .addHelpText('after', EXAMPLES)
    .action((question: string, choices: string[], options: Options) => ask(line, question, choices, options));
};

async function ask(line: CommandLine, question: string, choices: string[], options: Options): Promise<void> {
  const { kind, args } = questionOf(question, choices, options);
  if (options.id !== undefined && !ID_PATTERN.test(options.id)) throw new CommandError(EXIT.usage, '--id must be 1 to 128 of A-Z a-z 0-9 . _ : -');
  const setup = await line.setup();
  const http = line.http(setup);
  const conversationId = await line.conversation(setup, http, options.conversation);
  let isTroubled = false;
  const call: AskedCall = {
    http,
    conversationId,
    callId: options.id ?? randomId('ask'),
    payload: { name: kind, action: QUESTIONS[kind].action, arguments: args },
    sendWithinMs: options.wait * 1_000,
    onTrouble: () => {
      if (!isTroubled) line.terminal.note('the relay cannot be reached, trying again');
      isTroubled = true;
    },
  };
  call.payload = { ...call.payload, call_id: call.callId };
  const folder = join(setup.state, setup.agentId, conversationId);
  const memory = options.id === undefined ? null : await openMemory(folder);
  const ending = await endingOf(call, memory, options, setup.relay, line);
  report(line, kind, readKnownResult<unknown>(QUESTIONS[kind].result, ending) as Answer<QuestionResult<QuestionKind>>, call.callId);
}

async function openMemory(folder: string): Promise<CallMemory> {
  await makePrivateFolder(folder);
  return CallMemory.open(join(folder, 'asked.json'));
}

async function endingOf(call: AskedCall, memory: CallMemory | null, options: Options, relay: string, line: CommandLine): Promise<JsonObject> {
  const known = memory?.get(call.callId);
  if (known && content(known.payload) !== content(call.payload)) {
    throw new CommandError(EXIT.usage, `--id ${call.callId} was used for another question before`);
  }
  if (known?.ending) return known.ending.payload;
  if (options.timeout !== undefined) {
    const skew = await clockSkew(relay).catch(() => null);
    call.payload = { ...call.payload, expires_at: new Date(Date.now() - (skew ?? 0) + options.timeout * 1_000).toISOString() };
  }
  // Exactly what was asked the first time, its time of expiry too.
  if (known) call.payload = known.payload;
  const remembered = { type: 'tool.call' as const, payload: call.payload, asked_at: Date.now() };
  await memory?.put(call.callId, remembered);
  const payload = await interruptible(call, options.id !== undefined, line);
  await memory?.put(call.callId, { ...remembered, ending: { payload } });
  return payload;
}

/** Ctrl-C takes the question back, unless it has a name and can be taken up again. */
async function interruptible(call: AskedCall, isNamed: boolean, line: CommandLine): Promise<JsonObject> {
  const stop = new AbortController();
  const interrupt = () =>
    stop.abort(new CommandError(EXIT.cancelled, isNamed ? 'stopped; the question stays open' : 'stopped; the question is taken back'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt);
  try {
    const after = await placeCall(call, stop.signal);
    await noteWaiting(call, isNamed, line);
    return await awaitResult(call, after, stop.signal);
  } catch (error) {
    if (stop.signal.aborted && !isNamed) await takeBack(call);
    throw error;
  }
}

async function takeBack(call: AskedCall): Promise<void> {
  try {
    await cancelCall(call);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new CommandError(
      EXIT.unreachable,
      'stopped; the relay cannot be reached to take the question back: if it has arrived, it stays open on the phone',
      { cause: error },
    );
  }
}

/** A person who looks at a terminal is told what this waits for; a script is told only what is in the way. */
async function noteWaiting({ http }: AskedCall, isNamed: boolean, line: CommandLine): Promise<void> {
  const { terminal } = line;
  // Not to know this is no reason to give up a question that is asked already.
  const devices = await http.devices().catch(() => null);
  if (devices?.length === 0) return terminal.note(advised('no device is paired yet: the question waits ("lineup pair")', line.named));
  if (terminal.isWatched)
    terminal.note(`waiting for an answer on the phone (Ctrl-C ${isNamed ? 'leaves the question open' : 'takes the question back'})`);
}

function questionOf(question: string, choices: string[], options: Options): { kind: QuestionKind; args: JsonObject } {
  if (question.trim() === '') throw new CommandError(EXIT.usage, 'the question is empty');
  const misplaced = (what: string) => new CommandError(EXIT.usage, what);
  if (options.confirm) {
    if (choices.length > 0) throw misplaced('--confirm takes no options: leave them out, or leave out --confirm');
    return { kind: 'confirm', args: { question, ...(options.danger && { danger: true }) } };
  }
  if (options.danger) throw misplaced('--danger needs --confirm');
  if (choices.length === 0) {
    if (options.multiple || options.other) throw misplaced('--multiple and --other need options to choose from');
    const { secret, placeholder } = options;
    return { kind: 'input', args: { question, ...(secret && { secret }), ...(placeholder !== undefined && { placeholder }) } };
  }
  if (options.secret || options.placeholder !== undefined) throw misplaced('--secret and --placeholder are for a text: leave out the options');
  const empty = choices.findIndex((choice) => choice.trim() === '');
  if (empty >= 0) throw misplaced(`option ${empty + 1} is empty`);
  const twice = choices.find((choice, i) => choices.indexOf(choice) !== i);
  if (twice !== undefined) throw misplaced(`the option "${twice}" is there twice: an answer could not tell which`);
  const args = { question, options: choices, ...(options.multiple && { multiple: true }), ...(options.other && { allow_other: true }) };
  const checked = QUESTIONS.choice.arguments.safeParse(args);
  if (!checked.success) throw misplaced(checked.error.issues[0]?.message ?? 'these options cannot be asked');
  return { kind: 'choice', args };
}

function report({ terminal }: CommandLine, kind: QuestionKind, answer: Answer<QuestionResult<QuestionKind>>, callId: string): void {
  if (answer.status !== 'completed') {
    const { exitCode, message } = UNANSWERED[answer.status];
    if (terminal.json) {
      // The answer is the result, as every other; an error beside it would be a second one.
      terminal.result({ call_id: callId, ...answer }, '');
      terminal.note(message);
      process.exitCode = exitCode;
      return;
    }
    throw new CommandError(exitCode, answer.status === 'failed' && answer.message !== '' ? `${message}: ${answer.message}` : message);
  }
  const { result } = answer;
  terminal.result({ call_id: callId, ...answer }, textOf(result));
  if (kind === 'confirm' && 'confirmed' in result && result.confirmed !== true) process.exitCode = EXIT.declined;
}

function textOf(result: QuestionResult<QuestionKind>): string {
  if ('selected' in result && Array.isArray(result.selected)) return result.selected.join('\n');
  if ('value' in result) return String(result.value);
  return result.message;
}

function content(payload: JsonObject): string {
  return canonicalJson({ ...payload, expires_at: null });
}
