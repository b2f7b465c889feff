/** Reads a request's body: bounded, as UTF-8, as JSON, as what a schema says (§3). */
import type { z } from 'zod';
import { describeIssue } from '../../protocol/envelope.ts';
import { ok, refuse, type Result } from '../../protocol/errors.ts';
import { findFlaw, pathText, type Json } from '../../protocol/json.ts';

/** Largest body of a call that carries no message and no file, in bytes. */
const MAX_BODY_BYTES = 65_536;

/**
 * The body as `schema` reads it. An empty one counts as `{}`.
 *
 * Errors: `unsupported_media_type`, `frame_too_large`, `invalid_json`, `invalid_payload`.
 */
export async function readBody<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<Result<z.output<Schema>>> {
  const text = await readJsonText(request, MAX_BODY_BYTES);
  if (!text.ok) return text;
  let parsed: Json;
  try {
    parsed = text.value === '' ? {} : (JSON.parse(text.value) as Json);
  } catch {
    return refuse('invalid_json', 'body: not valid JSON');
  }
  const flaw = findFlaw(parsed);
  if (flaw) return refuse('invalid_payload', `${pathText(['body', ...flaw.path])}: ${flaw.problem}`);
  const checked = schema.safeParse(parsed);
  return checked.success ? ok(checked.data) : refuse('invalid_payload', describeIssue(checked.error, 'body'));
}

/** The text of a JSON body of at most `maxBytes`. Errors: `unsupported_media_type`, `frame_too_large`, `invalid_json`. */
export async function readJsonText(request: Request, maxBytes: number): Promise<Result<string>> {
  const bytes = await readBytes(request, maxBytes);
  if (!bytes) return refuse('frame_too_large', `body: larger than ${maxBytes} bytes`);
  if (bytes.byteLength > 0 && !isJsonType(request.headers.get('content-type'))) {
    return refuse('unsupported_media_type', 'content-type: expected application/json');
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return refuse('invalid_json', 'body: not valid UTF-8');
  }
}

/** A client that names no type means JSON; there is nothing else to mean. */
function isJsonType(contentType: string | null): boolean {
  return contentType === null || /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i.test(contentType.trim());
}

/** All bytes of a body, or null as soon as it turns out to have more than `maxBytes`; the rest of it stays in the request. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get('content-length')) > maxBytes) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
