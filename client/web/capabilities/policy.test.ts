import { describe, expect, it } from 'vitest';
import { LocalStore } from '../store/local-store.ts';
import { CoolDown, COOL_DOWN_MS } from './cool-down.ts';
import { CapabilityPolicy } from './policy.ts';
import { memoryStorage } from './testing/stand-ins.ts';

const AGENT = 'relay|ag_1';

describe('the policy', () => {
  it('offers what the browser can do and the user has not switched off', () => {
    const local = new LocalStore(memoryStorage());
    const policy = new CapabilityPolicy(local, (name) => name !== 'device.location');
    policy.offer('app.notify', false);
    expect(policy.offered).toEqual(['app.open_url', 'clipboard.write', 'artifact.save', 'device.pick_file', 'device.take_photo']);
    expect(new CapabilityPolicy(local, () => true).offers('app.notify')).toBe(false);
    policy.offer('app.notify', true);
    expect(policy.offers('app.notify')).toBe(true);
  });

  it('forgets what was allowed with what is switched off, and with whom is gone', () => {
    const policy = new CapabilityPolicy(new LocalStore(memoryStorage()), () => true);
    policy.grant(AGENT, 'clipboard.write');
    policy.grant(AGENT, 'app.open_url');
    policy.grant('relay|ag_2', 'app.open_url');
    policy.offer('clipboard.write', false);
    policy.offer('clipboard.write', true);
    expect(policy.isGranted(AGENT, 'clipboard.write')).toBe(false);
    policy.keepOnly([AGENT]);
    expect(policy.view.get().grants).toEqual([{ agent: AGENT, capability: 'app.open_url' }]);
    policy.revoke({ agent: AGENT, capability: 'app.open_url' });
    expect(policy.view.get().grants).toEqual([]);
  });

  it('remembers nothing for what reaches the device, nor where nothing is kept, nor what somebody wrote into the storage', () => {
    const local = new LocalStore(memoryStorage());
    local.write('capabilities.grants', JSON.stringify([{ agent: AGENT, capability: 'device.location' }]));
    const policy = new CapabilityPolicy(local, () => true);
    policy.grant(AGENT, 'device.take_photo');
    expect(policy.isGranted(AGENT, 'device.location')).toBe(false);
    expect(policy.isGranted(AGENT, 'device.take_photo')).toBe(false);
    const forgetful = new CapabilityPolicy(new LocalStore(null), () => true);
    forgetful.grant(AGENT, 'clipboard.write');
    expect(forgetful.isGranted(AGENT, 'clipboard.write')).toBe(false);
  });
});

describe('the cool-down', () => {
  it('begins with the second refusal in a row, ends by itself, and starts anew', () => {
    let now = 1_000;
    const coolDown = new CoolDown(new LocalStore(memoryStorage()), () => now);
    coolDown.refused(AGENT);
    expect(coolDown.until(AGENT)).toBeNull();
    coolDown.refused(AGENT);
    expect(coolDown.until(AGENT)).toBe(now + COOL_DOWN_MS);
    expect(coolDown.secondsLeft(AGENT)).toBe(COOL_DOWN_MS / 1_000);
    now += COOL_DOWN_MS;
    expect([coolDown.until(AGENT), coolDown.secondsLeft(AGENT)]).toEqual([null, 0]);
    coolDown.refused(AGENT);
    expect(coolDown.until(AGENT)).toBeNull();
  });

  it('makes nobody wait for years when the clock is set back', () => {
    let now = 1_000_000_000;
    const coolDown = new CoolDown(new LocalStore(memoryStorage()), () => now);
    coolDown.refused(AGENT);
    coolDown.refused(AGENT);
    now = 0;
    expect(coolDown.until(AGENT)).toBeNull();
  });
});
