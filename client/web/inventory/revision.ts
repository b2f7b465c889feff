/** Names for what this device declares (§7): the hash of the content, and what makes it new each time that the content changes. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { randomToken } from '../../../src/protocol/ids.ts';
import type { Inventory } from '../../../src/protocol/inventory.ts';
import { canonicalJson, isJsonObject, type JsonObject } from '../../../src/protocol/json.ts';
import type { LocalStore } from '../store/local-store.ts';

const KEY = 'inventory';

/** What an inventory says, without its name. */
export type InventoryContent = Omit<Inventory, 'revision'>;

/**
 * The name of a content. It stays for as long as the content does, for all tabs and conversations. A content that comes back after
 * another one gets a new name: the relay takes a superseded revision for a repetition and leaves the later one current.
 */
export function revisionOf(content: InventoryContent, local: LocalStore): string {
  const hash = bytesToHex(sha256(utf8ToBytes(canonicalJson(content as unknown as JsonObject)))).slice(0, 32);
  const last = local.readJson(KEY, isNamed, null);
  if (last?.hash === hash) return last.revision;
  const revision = `web-${hash}-${randomToken(8)}`;
  local.write(KEY, JSON.stringify({ hash, revision }));
  return revision;
}

function isNamed(value: unknown): value is { hash: string; revision: string } | null {
  return isJsonObject(value) && typeof value.hash === 'string' && typeof value.revision === 'string';
}
