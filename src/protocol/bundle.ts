/** What a surface is made of, and the one way to write it down that `app.integrity` is a hash of (docs/protocol.md, Surfaces). */

/** The code of a surface: html, css and js of a `ui.open` (§5). */
export interface Bundle {
  html: string;
  css: string;
  js: string;
}

/** The form of `app.integrity`: SHA-256 in base64. */
export const INTEGRITY_PATTERN = /^sha256-[A-Za-z0-9+/]{43}=$/;

/**
 * The canonical form: html, css and js, in this order, each as `<length in bytes>:<UTF-8 bytes>,` (a netstring). What a bundle leaves out
 * is the empty string. The lengths make sure that no two bundles have the same form.
 */
export function canonicalBundle(bundle: Bundle): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const pieces = [bundle.html, bundle.css, bundle.js].flatMap((part) => {
    const bytes = encoder.encode(part);
    return [encoder.encode(`${bytes.byteLength}:`), bytes, encoder.encode(',')];
  });
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/**
 * What `app.integrity` says of a bundle: `sha256-` and the base64 of the hash of its canonical form.
 * @throws TypeError where the platform gives no WebCrypto: a page that was not served securely
 */
export async function bundleIntegrity(bundle: Bundle): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', canonicalBundle(bundle));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
