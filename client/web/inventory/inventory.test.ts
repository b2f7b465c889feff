import { describe, expect, it } from 'vitest';
import { inventory as schema } from '../../../src/protocol/inventory.ts';
import { AppCenter } from '../apps/app-center.ts';
import { AppStorage } from '../apps/app-storage.ts';
import { CapabilityPolicy } from '../capabilities/policy.ts';
import { memoryStorage } from '../capabilities/testing/stand-ins.ts';
import { LocalStore } from '../store/local-store.ts';
import { currentInventory } from './inventory.ts';

function device(local = new LocalStore(memoryStorage())) {
  const apps = new AppCenter(local, new AppStorage(local));
  const policy = new CapabilityPolicy(local, () => true);
  return { apps, policy, local, inventory: () => currentInventory({ apps, policy, local }) };
}

describe('the inventory', () => {
  it('is what the contract takes, whatever is on and off', () => {
    const { apps, policy, inventory } = device();
    expect(schema.safeParse(inventory()).error).toBeUndefined();
    apps.disable('com.lineup.form', false);
    for (const { name } of policy.view.get().capabilities) policy.offer(name, false);
    expect(schema.safeParse(inventory()).error).toBeUndefined();
    expect(inventory()).toMatchObject({ capabilities: [], applications: [{ id: 'com.lineup.svg-canvas' }] });
  });

  it('keeps its name while it says the same, in every tab', () => {
    const { local, inventory } = device();
    expect(inventory().revision).toBe(inventory().revision);
    expect(device(local).inventory().revision).toBe(inventory().revision);
  });

  it('never has a name twice, even when it says again what it said before', () => {
    const { apps, policy, inventory } = device();
    const names = [inventory().revision];
    apps.disable('com.lineup.form', false);
    names.push(inventory().revision);
    apps.enable('com.lineup.form');
    names.push(inventory().revision);
    policy.offer('app.notify', false);
    names.push(inventory().revision);
    expect(new Set(names).size).toBe(4);
    expect(names.every((name) => /^web-[0-9a-f]{32}-[a-z2-7]{8}$/.test(name))).toBe(true);
    // The same content has the same hash: only what makes it new differs.
    expect(names[2]?.slice(0, 36)).toBe(names[0]?.slice(0, 36));
  });

  it('names things even where nothing is kept', () => {
    const { apps, inventory } = device(new LocalStore(null));
    const before = inventory().revision;
    expect(inventory().revision).toBe(before);
    apps.disable('com.lineup.form', false);
    expect(inventory().revision).not.toBe(before);
  });
});
