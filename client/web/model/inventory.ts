/** What this version declares to its agents (§7): the three components that it really has, no applications, no capabilities. */
import { canonicalJson } from '../../../src/protocol/json.ts';
import type { Inventory } from '../../../src/protocol/inventory.ts';

const content = {
  standard_components: [
    { id: 'choice', version: '1' },
    { id: 'confirm', version: '1' },
    { id: 'input', version: '1' },
  ],
  applications: [],
  capabilities: [],
} satisfies Omit<Inventory, 'revision'>;

/** The revision is a name for the content, so a revision is never used for another one. */
export const INVENTORY: Inventory = { revision: `web-${fingerprint(canonicalJson(content))}`, ...content };

/** FNV-1a, 32 bits, as hex: tells contents apart, protects nothing. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
