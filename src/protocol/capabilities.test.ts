import { describe, expect, it } from 'vitest';
import { CAPABILITIES, CAPABILITY_NAMES, capabilityOf, checkCapability, describeCapabilities } from './capabilities.ts';
import { inventory } from './inventory.ts';

describe('the arguments of a capability', () => {
  it.each([
    ['app.open_url', {}, 'arguments.url'],
    ['app.open_url', { url: 'example.com' }, 'arguments.url: expected a whole http or https address'],
    ['app.open_url', { url: 'javascript:alert(1)' }, 'arguments.url'],
    ['app.open_url', { url: 'JavaScript:alert(1)' }, 'arguments.url'],
    ['app.open_url', { url: 'data:text/html,x' }, 'arguments.url'],
    ['app.open_url', { url: 'file:///etc/passwd' }, 'arguments.url'],
    ['app.open_url', { url: 'intent://x#Intent;end' }, 'arguments.url'],
    ['app.open_url', { url: 'https://bank.example@evil.example/' }, 'arguments.url: expected an address without a user name or password'],
    ['app.open_url', { url: `https://example.com/${'a'.repeat(2048)}` }, 'arguments.url'],
    ['clipboard.write', { text: '' }, 'arguments.text'],
    ['clipboard.write', { text: 7 }, 'arguments.text'],
    ['artifact.save', { name: '../a', content: '' }, 'arguments.name'],
    ['artifact.save', { name: 'a\u202Efdp.exe', content: '' }, 'arguments.name'],
    ['artifact.save', { name: '.bashrc', content: '' }, 'arguments.name'],
    ['artifact.save', { name: 'a.txt' }, 'arguments.content: expected either content or file_id'],
    ['artifact.save', { name: 'a.txt', content: '', file_id: 'fl_1' }, 'arguments.content'],
    ['artifact.save', { name: 'a.txt', content: '', mime_type: 'no type' }, 'arguments.mime_type'],
    ['device.pick_file', { accept: ['everything'] }, 'arguments.accept[0]'],
    ['device.location', { high_accuracy: 'yes' }, 'arguments.high_accuracy'],
    ['device.take_photo', { camera: 'ceiling' }, 'arguments.camera'],
    ['app.notify', { body: 'no title' }, 'arguments.title'],
  ] as const)('%s refuses %j and names the field', (name, args, message) => {
    const checked = checkCapability(name, args as never);
    expect(checked).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(!checked.ok && checked.error.message).toContain(message);
  });

  it.each([
    ['app.open_url', { url: 'https://example.com/docs?a=1#b' }],
    ['clipboard.write', { text: 'a\nb' }],
    ['artifact.save', { name: '报告 2026.md', content: '' }],
    ['artifact.save', { name: 'a', file_id: 'fl_1' }],
    ['device.pick_file', { accept: ['image/*', '.pdf'] }],
    ['device.location', {}],
    ['device.take_photo', { camera: 'back' }],
    ['app.notify', { title: 'Done' }],
  ] as const)('%s takes %j', (name, args) => {
    expect(checkCapability(name, args as never)).toEqual({ ok: true, value: { name, arguments: args } });
  });

  it('leaves out what the schema does not know', () => {
    expect(checkCapability('device.location', { evil: true })).toEqual({ ok: true, value: { name: 'device.location', arguments: {} } });
  });
});

describe('the declaration', () => {
  it('fits an inventory and says what each capability takes', () => {
    const capabilities = describeCapabilities(CAPABILITY_NAMES);
    expect(inventory.safeParse({ revision: 'r1', standard_components: [], applications: [], capabilities }).success).toBe(true);
    expect(capabilities[0]).toMatchObject({ name: 'app.open_url', risk: 'user_confirmation', input_schema: { type: 'object', required: ['url'] } });
    expect(Object.keys(CAPABILITIES)).toEqual(capabilities.map(({ name }) => name));
  });

  it('knows its own names and no others', () => {
    expect(capabilityOf('app.notify')).toBe('app.notify');
    expect(capabilityOf('toString')).toBeUndefined();
  });
});
