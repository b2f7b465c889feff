import { describe, expect, it } from 'vitest';
import { LocalStore } from './local-store.ts';
import { PairingBook } from './pairings.ts';

const redeemed = (device: string, token: string) => ({
  device_id: device,
  agent: { id: 'ag_1', name: 'Hermes' },
  conversation_id: 'cv_1',
  token,
  expires_at: '',
});

describe('the pairings', () => {
  it('keep one device per agent and relay', () => {
    const book = new PairingBook(new LocalStore(null));
    book.add('https://a.example', redeemed('dv_1', 't1'), 'Phone');
    book.add('https://b.example', redeemed('dv_2', 't2'), 'Phone');
    const { earlier } = book.add('https://a.example', redeemed('dv_3', 't3'), 'Phone');
    expect(earlier?.deviceId).toBe('dv_1');
    expect(book.all().map(({ relay, deviceId }) => [relay, deviceId])).toEqual([
      ['https://b.example', 'dv_2'],
      ['https://a.example', 'dv_3'],
    ]);
  });

  it('give a connection the freshest token, and nothing once the device is another one', async () => {
    const book = new PairingBook(new LocalStore(null));
    const { pairing } = book.add('https://a.example', redeemed('dv_1', 't1'), 'Phone');
    const credentials = book.credentials(pairing.key, 'dv_1');
    await credentials.save('t1-fresh');
    expect(await credentials.load()).toBe('t1-fresh');
    book.add('https://a.example', redeemed('dv_2', 't2'), 'Phone');
    await credentials.save('late');
    expect(await credentials.load()).toBeNull();
    expect(book.find(pairing.key)?.token).toBe('t2');
  });

  it('read as none when what is stored is not ours', () => {
    const local = new LocalStore(null);
    for (const text of ['{', '{}', '[1]', '[{"key":"x"}]']) {
      local.write('pairings', text);
      expect(new PairingBook(local).all()).toEqual([]);
    }
  });
});
