import { describe, expect, it } from 'vitest';
import { LocalStore } from './local-store.ts';

/** A browser's storage with room for a number of characters. */
class SmallStorage implements Storage {
  readonly #items = new Map<string, string>();
  readonly #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  get length(): number {
    return this.#items.size;
  }

  clear(): void {
    this.#items.clear();
  }

  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }

  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }

  removeItem(key: string): void {
    this.#items.delete(key);
  }

  setItem(key: string, value: string): void {
    if (value.length > this.#room) throw new DOMException('full', 'QuotaExceededError');
    this.#items.set(key, value);
  }
}

describe('what a browser remembers', () => {
  it('works for the life of the page where storage is denied', () => {
    const store = new LocalStore(null);
    expect(store.durable).toBe(false);
    store.write('draft', 'hello');
    expect(store.read('draft')).toBe('hello');
    store.write('draft', null);
    expect(store.read('draft')).toBeNull();
  });

  it('keeps in memory what there is no room for', () => {
    const store = new LocalStore(new SmallStorage(5));
    store.write('draft', 'short');
    store.write('draft', 'much too long');
    expect(store.read('draft')).toBe('much too long');
    store.write('draft', 'ok');
    expect(store.read('draft')).toBe('ok');
  });

  it('forgets what is filed under a name, wherever it is kept', () => {
    const store = new LocalStore(new SmallStorage(12));
    store.write('draft.cv_1', 'hello');
    store.write('read.cv_1', 'more than there is room for');
    store.write('draft.cv_12', 'stays');
    store.forget('cv_1');
    expect(['draft.cv_1', 'read.cv_1', 'draft.cv_12'].map((key) => store.read(key))).toEqual([null, null, 'stays']);
  });

  it('forgets its own things and nobody else’s', () => {
    const storage = new SmallStorage(100);
    storage.setItem('other', 'stays');
    const store = new LocalStore(storage);
    store.write('a', '1');
    store.write('b', '2');
    store.wipe();
    expect(storage.length).toBe(1);
    expect(storage.getItem('other')).toBe('stays');
  });
});
