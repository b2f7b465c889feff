/**
 * Files on their way: chosen, scaled, uploaded with progress, and then ready to be sent. They belong to the conversation and stay while
 * another one is on the screen. They live as long as the page: a file is not kept twice.
 */
import type { FileInfo } from '../../../src/protocol/http.ts';
import { Observable, type Schedule } from '../store/observable.ts';
import type { Outgoing } from '../store/outgoing.ts';
import type { Trouble } from '../store/trouble.ts';
import { scaleImage } from './scale-image.ts';

export interface Attachment {
  id: number;
  file: File;
  /** A blob's address, for pictures. */
  preview: string | null;
  state: { name: 'uploading'; share: number } | { name: 'ready'; info: FileInfo } | { name: 'failed'; trouble: Trouble };
}

interface AttachmentsParts {
  upload: Outgoing['upload'];
  /** The largest file that the relay takes, in bytes. */
  limit: () => number;
  schedule?: Schedule;
}

let lastId = 0;

/** See the file's head. */
export class Attachments {
  readonly view: Observable<readonly Attachment[]>;
  readonly #parts: AttachmentsParts;
  #all: readonly Attachment[] = [];

  constructor(parts: AttachmentsParts) {
    this.#parts = parts;
    this.view = new Observable(() => this.#all, parts.schedule);
  }

  /** Takes chosen files and begins to upload them. */
  async add(files: readonly File[]): Promise<void> {
    for (const chosen of files) {
      const file = await scaleImage(withType(chosen), this.#parts.limit());
      const preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : null;
      const attachment: Attachment = { id: ++lastId, file, preview, state: { name: 'uploading', share: 0 } };
      this.#set([...this.#all, attachment]);
      void this.again(attachment);
    }
  }

  /** Uploads a file, or tries it again. */
  async again({ id, file }: Attachment): Promise<void> {
    const allowed = this.#parts.limit();
    this.#change(id, { name: 'uploading', share: 0 });
    if (file.size > allowed) {
      this.#change(id, { name: 'failed', trouble: { kind: 'too-large', limit: 'max_file_bytes', allowed } });
      return;
    }
    const answer = await this.#parts.upload(file, (share) => this.#change(id, { name: 'uploading', share }));
    this.#change(id, answer.ok ? { name: 'ready', info: answer.file } : { name: 'failed', trouble: answer.trouble });
  }

  /** The relay is there again: what did not reach it is tried once more. */
  online(): void {
    for (const attachment of this.#all) {
      const { state } = attachment;
      if (state.name === 'failed' && state.trouble.kind === 'offline') void this.again(attachment);
    }
  }

  /** It was sent, or is not wanted. */
  remove(id: number): void {
    this.#all.filter((attachment) => attachment.id === id).forEach(forgetPreview);
    this.#set(this.#all.filter((attachment) => attachment.id !== id));
  }

  /** Lets go of all of them. */
  clear(): void {
    this.#all.forEach(forgetPreview);
    this.#set([]);
  }

  #change(id: number, state: Attachment['state']): void {
    this.#set(this.#all.map((attachment) => (attachment.id === id ? { ...attachment, state } : attachment)));
  }

  #set(all: readonly Attachment[]): void {
    this.#all = all;
    this.view.changed();
  }
}

function forgetPreview({ preview }: Attachment): void {
  if (preview !== null) URL.revokeObjectURL(preview);
}

/** A file of a kind that the browser does not know still needs one to be sent. */
function withType(file: File): File {
  return file.type === '' ? new File([file], file.name, { type: 'application/octet-stream' }) : file;
}
