/** Hands something to the browser's downloads. */

/** The browser reads a blob some time after the click; its address must live until then, in ms. */
const ADDRESS_LIVES_MS = 60_000;
/** Longer names are cut: file systems take 255 bytes, and a character may have four. */
const LONGEST = 60;

/** Saves what lies at an address of this page. @param name as somebody wrote it; it is made safe here */
export function saveAddress(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = safeFileName(name);
  link.click();
}

/** Saves a blob. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  saveAddress(url, name);
  setTimeout(() => URL.revokeObjectURL(url), ADDRESS_LIVES_MS);
}

/**
 * A name that every file system takes and that says what it is: no path, nothing that Windows refuses, no characters that turn its ending
 * around, no dots in front. The ending is kept when it is cut.
 */
export function safeFileName(name: string): string {
  const clean = name
    .replaceAll(/[/\\<>:"|?*\p{Cc}\p{Cf}\p{Cs}]/gu, '_')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '');
  const [, stem = clean, ending = ''] = /^(.*?)(\.[^. ]{1,10})?$/u.exec(clean) ?? [];
  return ([...stem].slice(0, LONGEST).join('').trim() || 'file') + ending;
}
