/** Files of a conversation over HTTP (§3): bytes in, bytes out, single ranges. */
import type { StoredFile } from '../conversation/files.ts';
import type { Ledger } from '../conversation/ledger.ts';
import { ERROR_STATUS, refusal, type Refusal } from '../protocol/errors.ts';
import type { FileInfo } from '../protocol/http.ts';

/** What an upload needs of its conversation. */
export interface FileStore {
  ledger: Ledger;
  change(fn: (ledger: Ledger) => void): { ok: true } | { ok: false; error: Refusal };
}

/**
 * Stores the body of a request: 201 {@link FileInfo}.
 * Errors: 413 `frame_too_large` above `max_file_bytes`, 503 `storage_full` above the conversation's quota.
 */
export async function upload(store: FileStore, request: Request): Promise<Response> {
  const { limits } = store.ledger;
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > limits.max_file_bytes) return failed(refusal('frame_too_large', `body: larger than ${limits.max_file_bytes} bytes`));
  const sha256 = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (store.ledger.files.totalBytes() + bytes.byteLength > limits.file_quota_bytes) {
    return failed(refusal('storage_full', `body: the files of this conversation would be more than ${limits.file_quota_bytes} bytes`));
  }
  const content_type = (request.headers.get('content-type') ?? 'application/octet-stream').slice(0, 256);
  const stored: StoredFile[] = [];
  const done = store.change(({ files, log }) => stored.push(files.add(bytes, { content_type, sha256 }, log.head)));
  const [file] = stored;
  if (!done.ok || !file) return failed(done.ok ? refusal('internal', 'body: could not be stored') : done.error);
  const info: FileInfo = {
    file_id: file.file_id,
    url: `/v1/conversations/${store.ledger.meta.conversationId}/files/${file.file_id}`,
    size: file.size,
    sha256,
  };
  return Response.json(info, { status: 201 });
}

/** Answers a file or the range of it that was asked for: 200, 206, 416, or 404 `not_found`. */
export function download({ files }: Ledger, fileId: string, range: string | null): Response {
  const file = files.get(fileId);
  if (!file) return failed(refusal('not_found', 'file: no such file in this conversation'));
  const headers = new Headers({
    'content-type': file.content_type,
    'accept-ranges': 'bytes',
    etag: `"${file.sha256}"`,
    'cache-control': 'private, max-age=86400, immutable',
    // Bytes of a stranger on the relay's own origin: never a document.
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });
  const wanted = range === null ? 'all' : parseRange(range, file.size);
  if (wanted === 'unsatisfiable') {
    const error = refusal('invalid_payload', `range: beyond the ${file.size} bytes of this file`);
    return Response.json({ error }, { status: 416, headers: { 'content-range': `bytes */${file.size}` } });
  }
  if (wanted === 'all') return new Response(files.read(fileId, 0, file.size), { headers });
  headers.set('content-range', `bytes ${wanted.from}-${wanted.to - 1}/${file.size}`);
  return new Response(files.read(fileId, wanted.from, wanted.to), { status: 206, headers });
}

/** A single byte range; anything else a Range header may say is answered with the whole file, as RFC 9110 allows. */
function parseRange(range: string, size: number): { from: number; to: number } | 'all' | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range.trim());
  if (!match || (match[1] === '' && match[2] === '')) return 'all';
  if (match[1] === '') {
    const last = Number(match[2]);
    return last === 0 || size === 0 ? 'unsatisfiable' : { from: Math.max(0, size - last), to: size };
  }
  const from = Number(match[1]);
  const to = match[2] === '' ? size : Math.min(size, Number(match[2]) + 1);
  if (from >= size) return 'unsatisfiable';
  return to <= from ? 'all' : { from, to };
}

function failed(error: Refusal): Response {
  return Response.json({ error }, { status: ERROR_STATUS[error.code] });
}
