/** Files of a conversation as addresses that an `<img>` can show: fetched with the token, kept as blobs for the life of the page. */

/** Fetches a file's bytes. */
export type FetchFile = (fileId: string) => Promise<Blob>;

/** Blobs beyond this many are forgotten, the longest unused first. */
const KEPT_FILES = 64;

/** See the file's head. */
export class FileShelf {
  readonly #fetch: FetchFile;
  readonly #kept = new Map<string, Promise<string>>();

  constructor(fetch: FetchFile) {
    this.#fetch = fetch;
  }

  /**
   * The address of a file's blob. Asked for twice, it is fetched once.
   * @throws RelayError, NetworkError; the next call tries again
   */
  url(fileId: string): Promise<string> {
    const known = this.#kept.get(fileId);
    this.#kept.delete(fileId);
    const url = known ?? this.#fetch(fileId).then((blob) => URL.createObjectURL(blob));
    this.#kept.set(fileId, url);
    if (!known) {
      url.catch(() => this.#kept.delete(fileId));
      this.#trim();
    }
    return url;
  }

  /** Keeps a file that this device has just sent, so that it is not fetched to be shown. */
  put(fileId: string, blob: Blob): void {
    this.#kept.set(fileId, Promise.resolve(URL.createObjectURL(blob)));
    this.#trim();
  }

  /** Lets go of every blob. */
  clear(): void {
    for (const url of this.#kept.values()) this.#revoke(url);
    this.#kept.clear();
  }

  #trim(): void {
    for (const [fileId, url] of this.#kept) {
      if (this.#kept.size <= KEPT_FILES) return;
      this.#kept.delete(fileId);
      this.#revoke(url);
    }
  }

  #revoke(url: Promise<string>): void {
    url.then(URL.revokeObjectURL, () => undefined);
  }
}
