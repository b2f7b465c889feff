/**
 * Addresses of files that open without a header. A bare v1 app shows a picture by its address alone, so the address itself has to
 * prove that it was given out here: it is signed with a key that follows from the pre-shared token, and is good for that file alone.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const PATH = /^\/files\/(cv_[a-z0-9]+)\/(fl_[a-z0-9]+)\/([A-Za-z0-9_-]+)$/;

/** Makes and reads such addresses. */
export class FileLinks {
  readonly #key: Buffer;

  /** @param token the pre-shared token; with another one the links that were made with it stop working */
  constructor(token: string) {
    this.#key = createHmac('sha256', token).update('lineup direct file links').digest();
  }

  /** The path of a file. */
  path(conversationId: string, fileId: string): string {
    return `/files/${conversationId}/${fileId}/${this.#sign(conversationId, fileId)}`;
  }

  /** Which file a path opens, or null when it is none of these, or not signed here. */
  read(pathname: string): { conversationId: string; fileId: string } | null {
    const [, conversationId, fileId, signature] = PATH.exec(pathname) ?? [];
    if (conversationId === undefined || fileId === undefined || signature === undefined) return null;
    const [given, expected] = [Buffer.from(signature), Buffer.from(this.#sign(conversationId, fileId))];
    return given.length === expected.length && timingSafeEqual(given, expected) ? { conversationId, fileId } : null;
  }

  #sign(conversationId: string, fileId: string): string {
    return createHmac('sha256', this.#key).update(`${conversationId}/${fileId}`).digest('base64url');
  }
}
