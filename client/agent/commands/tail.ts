/** `lineup tail`: shows what is said, as it comes. */
import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import { MAX_PAGE_MESSAGES } from '../../../src/protocol/limits.ts';
import { NetworkError } from '../../core/errors.ts';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { lineOf, OpenQuestions } from '../message-line.ts';
import { persist } from '../persist.ts';

/** Pause between two looks, in ms. */
const LOOK_EVERY_MS = 2_000;
const FOREVER = Number.POSITIVE_INFINITY;

interface Options {
  conversation?: string;
  lines: number;
  after?: number;
  follow: boolean;
}

export const addTail: AddCommand = (program, line) => {
  program
    .command('tail')
    .summary('show what is said, as it comes')
    .description(
      'Shows the last messages of a conversation and those that follow, until Ctrl-C. It does not disturb a running agent. With --json each line is an envelope of the protocol, whole: without it, answers to secret questions are hidden.',
    )
    .option('-n, --lines <count>', 'how many messages to begin with, 0 to 100', readCount(100), 10)
    .option('--after <seq>', 'begin behind this seq in place of --lines', readCount(Number.MAX_SAFE_INTEGER))
    .option('--no-follow', 'end when everything is shown')
    .option('--conversation <id>', "which. Default: the agent's first conversation")
    .addHelpText('after', '\nExamples:\n  $ lineup tail\n  $ lineup tail --json --after 0 --no-follow > conversation.jsonl')
    .action((options: Options) => tail(line, options));
};

async function tail(line: CommandLine, { conversation, lines, after, follow }: Options): Promise<void> {
  const { terminal } = line;
  const setup = await line.setup();
  const http = line.http(setup);
  const conversationId = await line.conversation(setup, http, conversation);
  const questions = new OpenQuestions();
  const show = (frame: Delivered) => terminal.result(frame, lineOf(frame, terminal, questions.admits(frame)));
  let cursor = after;
  if (cursor === undefined) {
    const page = await http.history(conversationId, { limit: Math.max(1, lines) });
    if (lines > 0) for (const frame of page.messages) show(frame);
    cursor = page.head_seq;
  }
  let isAway = false;
  const trouble = (error: unknown) => {
    if (!isAway) terminal.note(error instanceof NetworkError ? 'the relay cannot be reached, trying again' : String(error));
    isAway = true;
  };
  for (;;) {
    const from: number = cursor;
    const page = await persist(() => http.history(conversationId, { after: from, limit: MAX_PAGE_MESSAGES }), follow ? FOREVER : 0, trouble);
    isAway = false;
    for (const frame of page.messages) {
      show(frame);
      cursor = Math.max(cursor, frame.seq ?? 0);
    }
    if (page.has_more && page.messages.length > 0) continue;
    if (!follow) return;
    await delay(LOOK_EVERY_MS);
  }
}

function readCount(max: number): (text: string) => number {
  return (text) => {
    const count = text.trim() === '' ? Number.NaN : Number(text);
    if (!Number.isInteger(count) || count < 0 || count > max) throw new InvalidArgumentError(`expected a whole number from 0 to ${max}`);
    return count;
  };
}
