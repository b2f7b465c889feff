/** How far the user has read a conversation on this device. It is kept, and tabs share it. */
import type { LocalStore } from './local-store.ts';

/** See the file's head. */
export class ReadMark {
  readonly #local: LocalStore;
  readonly #key: string;

  constructor(local: LocalStore, conversationId: string) {
    this.#local = local;
    this.#key = `read.${conversationId}`;
  }

  /** Everything up to this seq is read; null when nothing was ever noted. */
  get seq(): number | null {
    const [seq] = this.#kept();
    return seq === undefined || seq === '' || Number.isNaN(Number(seq)) ? null : Number(seq);
  }

  /** Everything up to `seq` is read. Returns whether that is news. */
  advance(seq: number): boolean {
    if (seq <= (this.seq ?? 0)) return false;
    this.#keep(seq, this.#kept()[1]);
    return true;
  }

  /** The relay names the log (§4, epoch): what was read of another one says nothing about this one. */
  belongsTo(epoch: string): void {
    const known = this.#kept()[1];
    if (known === epoch) return;
    this.#keep(known === undefined ? (this.seq ?? 0) : 0, epoch);
  }

  #kept(): (string | undefined)[] {
    return this.#local.read(this.#key)?.split(' ') ?? [];
  }

  #keep(seq: number, epoch: string | undefined): void {
    this.#local.write(this.#key, epoch === undefined ? String(seq) : `${seq} ${epoch}`);
  }
}
