/** `lineup send`: says something to the phone, without a running agent. */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { ID_PATTERN } from '../../../src/protocol/ids.ts';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { imageType, mediaType } from '../media-type.ts';
import { persist } from '../persist.ts';
import { readSeconds } from '../read-seconds.ts';
import type { PostedEnvelope, RelayHttp } from '../../core/http.ts';
import { randomId } from '../../core/random-id.ts';

interface Options {
  conversation?: string;
  file?: string;
  id?: string;
  plain?: true;
  wait: number;
}

export const addSend: AddCommand = (program, line) => {
  program
    .command('send')
    .summary('say something, or send a file, to your phone')
    .description(
      'Sends a text, a picture or a file, and ends when the relay has it for good. Without words the text comes from stdin. It does not disturb a running agent.',
    )
    .argument('[text...]', 'the text, in Markdown')
    .option('--file <path>', 'a file or picture; the text goes with it: to a picture as its caption, which is no Markdown')
    .option('--plain', 'the text is no Markdown')
    .option('--conversation <id>', "where. Default: the agent's first conversation")
    .option('--id <id>', 'names the message: the same id again sends it once')
    .option('--wait <seconds>', 'how long to try while the relay cannot be reached', readSeconds, 60)
    .addHelpText(
      'after',
      '\nExamples:\n  $ lineup send "The backup is **done**."\n  $ df -h | lineup send --plain\n  $ lineup send --file chart.png "This week"',
    )
    .action((words: string[], options: Options) => send(line, words, options));
};

async function send(line: CommandLine, words: string[], options: Options): Promise<void> {
  const { terminal } = line;
  if (options.id !== undefined && !ID_PATTERN.test(options.id)) throw new CommandError(EXIT.usage, '--id must be 1 to 128 of A-Z a-z 0-9 . _ : -');
  if (options.file !== undefined) await checkFile(options.file);
  const text = await readText(words, options);
  const setup = await line.setup();
  const http = line.http(setup);
  const deadline = Date.now() + options.wait * 1_000;
  const retry = <T>(attempt: () => Promise<T>) => persist(attempt, deadline, () => terminal.note('the relay cannot be reached, trying again'));
  const conversationId = await retry(() => line.conversation(setup, http, options.conversation));
  const messages = await messagesOf(text, options, (content, type) => retry(() => http.upload(conversationId, content, type)));
  // The ids are made before the first try: whatever an answer that was lost has done, each message is there once.
  for (const message of messages) {
    const { id, seq, duplicate } = await retry(() => http.postMessage(conversationId, message));
    terminal.result({ id, seq, duplicate, conversation_id: conversationId }, `${terminal.paint('green', '✓')} sent`);
  }
}

/** What cannot be sent is better found out before all of it is read. */
async function checkFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  });
  if (!found) throw new CommandError(EXIT.usage, `--file ${path}: there is no such file`);
  if (!found.isFile())
    throw new CommandError(EXIT.usage, `--file ${path}: this is no file, but a ${found.isDirectory() ? 'folder' : 'device or pipe'}`);
}

async function readText(words: string[], { file }: Options): Promise<string> {
  const text = words.join(' ');
  if (text.trim() !== '') return text;
  if (words.length > 0 && file === undefined) throw new CommandError(EXIT.usage, 'nothing to send: the text is empty');
  if (file !== undefined) return '';
  if (process.stdin.isTTY) throw new CommandError(EXIT.usage, 'nothing to send: give a text, pipe one in, or name a --file');
  const piped = (await readAll(process.stdin)).trimEnd();
  if (piped.trim() === '') throw new CommandError(EXIT.usage, 'nothing to send: stdin was empty');
  return piped;
}

type Upload = (content: Uint8Array<ArrayBuffer>, type: string) => ReturnType<RelayHttp['upload']>;

async function messagesOf(text: string, { id = randomId('cli'), file, plain }: Options, upload: Upload): Promise<PostedEnvelope[]> {
  const said: PostedEnvelope = { id, type: 'text', payload: { content: text, format: plain ? 'plain' : 'markdown' } };
  if (file === undefined) return [said];
  const content = new Uint8Array(await readFile(file));
  const name = basename(file);
  const image = imageType(name);
  const { file_id, url, size } = await upload(content, image ?? mediaType(name));
  if (image !== undefined) return [{ id, type: 'image', payload: { url, file_id, alt: name, ...(text !== '' && { caption: text }) } }];
  const sent: PostedEnvelope = { id: `${id.slice(0, 123)}.file`, type: 'file', payload: { file_id, name, mime_type: mediaType(name), size } };
  return text === '' ? [sent] : [said, sent];
}
