/** Files of a conversation (§3): bytes in chunks beside the log, gone when the log no longer refers to them. */
import { makeId } from '../protocol/ids.ts';
import type { Sql, SqlValue } from './ports.ts';

/** A stored file. `sha256` is hex. */
export interface StoredFile {
  file_id: string;
  content_type: string;
  size: number;
  sha256: string;
}

/** Bytes in one row: well below the 2 MB that a row may have. */
const CHUNK_BYTES = 1_048_576;

/** The files of one conversation. */
export class Files {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  has(fileId: string): boolean {
    return this.get(fileId) !== undefined;
  }

  get(fileId: string): StoredFile | undefined {
    return this.#sql.exec<StoredFile & Record<string, SqlValue>>(
      'SELECT file_id, content_type, size, sha256 FROM files WHERE file_id = ?',
      fileId,
    )[0];
  }

  /** Bytes of all files. */
  totalBytes(): number {
    return this.#sql.exec<{ bytes: number | null }>('SELECT sum(size) AS bytes FROM files')[0]?.bytes ?? 0;
  }

  /** Stores a file, as part of a transaction. `head` is the log's head: an upload that no message refers to goes when the log has moved past it. */
  add(bytes: ArrayBuffer, file: Pick<StoredFile, 'content_type' | 'sha256'>, head: number): StoredFile {
    const stored: StoredFile = { file_id: makeId('fl'), size: bytes.byteLength, ...file };
    this.#sql.exec(
      'INSERT INTO files (file_id, content_type, size, sha256, last_seq) VALUES (?, ?, ?, ?, ?)',
      stored.file_id,
      stored.content_type,
      stored.size,
      stored.sha256,
      head + 1,
    );
    for (let position = 0; position * CHUNK_BYTES < bytes.byteLength; position++) {
      const chunk = bytes.slice(position * CHUNK_BYTES, (position + 1) * CHUNK_BYTES);
      this.#sql.exec('INSERT INTO file_chunks (file_id, position, bytes) VALUES (?, ?, ?)', stored.file_id, position, chunk);
    }
    return stored;
  }

  /** Bytes `from` to `to` (exclusive) of a file. */
  read(fileId: string, from: number, to: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(to - from);
    const chunks = this.#sql.exec<{ position: number; bytes: ArrayBuffer }>(
      'SELECT position, bytes FROM file_chunks WHERE file_id = ? AND position BETWEEN ? AND ? ORDER BY position',
      fileId,
      Math.floor(from / CHUNK_BYTES),
      Math.floor(Math.max(from, to - 1) / CHUNK_BYTES),
    );
    for (const chunk of chunks) {
      const start = chunk.position * CHUNK_BYTES;
      const part = new Uint8Array(chunk.bytes).subarray(Math.max(0, from - start), Math.max(0, to - start));
      bytes.set(part, Math.max(0, start - from));
    }
    return bytes;
  }

  /** A message at `seq` refers to a file. */
  referred(fileId: string, seq: number): void {
    this.#sql.exec('UPDATE files SET last_seq = ? WHERE file_id = ?', seq, fileId);
  }

  /** Deletes the files that nothing in the log from `oldestSeq` on refers to. */
  forgetBefore(oldestSeq: number): void {
    this.#sql.exec('DELETE FROM file_chunks WHERE file_id IN (SELECT file_id FROM files WHERE last_seq < ?)', oldestSeq);
    this.#sql.exec('DELETE FROM files WHERE last_seq < ?', oldestSeq);
  }
}
