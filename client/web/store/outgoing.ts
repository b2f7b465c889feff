/** What the user does in a conversation, on its way out: into the outbox, or into the relay's files. How it ends is seen in the view. */
import type { DurableType } from '../../core/frames.ts';
import type { FileInfo } from '../../../src/protocol/http.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import type { Entry } from '../model/entry.ts';
import { resultOf, type Answer } from '../model/tool-desk.ts';
import type { ConversationHttp, Link } from './conversation-options.ts';
import type { FileShelf } from './files.ts';
import { troubleOf, type Trouble } from './trouble.ts';

interface OutgoingParts {
  conversationId: string;
  link: Pick<Link, 'send' | 'retry' | 'discard' | 'isUntried'>;
  http: Pick<ConversationHttp, 'upload'>;
  files: Pick<FileShelf, 'put'>;
  /** The run that a stop is meant for. */
  runId: () => string | null;
  /** A message was taken back. */
  discarded: (id: string) => void;
}

/** See the file's head. What sends resolves to null when it is on its way, else to why it cannot be sent. */
export class Outgoing {
  readonly #parts: OutgoingParts;

  constructor(parts: OutgoingParts) {
    this.#parts = parts;
  }

  /** Puts a message into the outbox, where it is kept until the relay has it. */
  async send<T extends DurableType>(type: T, payload: Payloads[T]): Promise<Trouble | null> {
    try {
      const { done } = await this.#parts.link.send(type, payload);
      // How it ends is told by the `sent` event as well, and shown from there.
      done.catch(() => undefined);
      return null;
    } catch (error) {
      return troubleOf(error);
    }
  }

  /** Sends a text. @param replyTo the id of the message that it answers */
  text(content: string, replyTo?: string): Promise<Trouble | null> {
    return this.send('text', { content, ...(replyTo !== undefined && { reply_to: replyTo }) });
  }

  /** Sends an image or a file that was uploaded before. */
  file(file: FileInfo, source: { name: string; type: string }): Promise<Trouble | null> {
    const { file_id, url, size } = file;
    if (source.type.startsWith('image/')) return this.send('image', { url, file_id, alt: source.name });
    return this.send('file', { file_id, name: source.name, mime_type: source.type, size });
  }

  /** Stores a file with the relay. @param onProgress gets a share of 0 to 1 */
  async upload(blob: Blob, onProgress: (share: number) => void): Promise<{ ok: true; file: FileInfo } | { ok: false; trouble: Trouble }> {
    const { http, conversationId, files } = this.#parts;
    try {
      const file = await http.upload(conversationId, blob, blob.type, (sent, total) => onProgress(total === 0 ? 0 : sent / total));
      files.put(file.file_id, blob);
      return { ok: true, file };
    } catch (error) {
      return { ok: false, trouble: troubleOf(error) };
    }
  }

  /** Answers a question, once: whatever is tapped after that is too late. */
  answer(call: Payloads['tool.call'], answer: Answer): Promise<Trouble | null> {
    return this.send('tool.result', resultOf(call, answer));
  }

  /** Asks the agent to stop what it is doing. */
  cancelRun(): Promise<Trouble | null> {
    const runId = this.#parts.runId();
    return this.send('run.cancel', runId === null ? {} : { run_id: runId });
  }

  /** Sends a message again that got no answer. */
  retry(id: string): void {
    this.#parts.link.retry(id);
  }

  /** Sends what the relay refused once more, as a new message. */
  resend({ id, type, payload }: Entry): Promise<Trouble | null> {
    this.discard(id);
    return this.send(type as DurableType, payload as Payloads[DurableType]);
  }

  /** Whether a message has never left this page, so that taking it back leaves no trace. */
  isUntried(id: string): boolean {
    return this.#parts.link.isUntried(id);
  }

  /** Takes back a message that the relay does not have. */
  discard(id: string): void {
    this.#parts.link.discard(id);
    this.#parts.discarded(id);
  }
}
