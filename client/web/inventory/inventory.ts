/** What this device declares to its agents (§7): its components, the enabled apps, and the capabilities that its user offers. */
import { describeCapabilities } from '../../../src/protocol/capabilities.ts';
import type { Inventory } from '../../../src/protocol/inventory.ts';
import { TOOLS } from '../../../src/protocol/tools.ts';
import type { AppCenter } from '../apps/app-center.ts';
import type { CapabilityPolicy } from '../capabilities/policy.ts';
import { OFFERED_TOOLS } from '../model/tool-desk.ts';
import type { LocalStore } from '../store/local-store.ts';
import { revisionOf } from './revision.ts';

/** The version of the standard components: that of the contract. */
const COMPONENT_VERSION = '1';

/** Made anew from what is stored each time, so that every tab says the same. */
export function currentInventory(parts: { apps: AppCenter; policy: CapabilityPolicy; local: LocalStore }): Inventory {
  const content = {
    // Components ask the user something; what calculates by itself is none.
    standard_components: OFFERED_TOOLS.filter((tool) => TOOLS[tool].type === 'action').map((id) => ({ id, version: COMPONENT_VERSION })),
    applications: parts.apps.declared,
    capabilities: describeCapabilities(parts.policy.offered),
  };
  return { revision: revisionOf(content, parts.local), ...content };
}
