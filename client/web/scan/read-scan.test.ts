import { describe, expect, it } from 'vitest';
import { readScan } from './read-scan.ts';

describe('a scanned QR code', () => {
  it('with a pairing link names the relay and the code', () => {
    expect(readScan('https://relay.example/#pair=K7Q29FXM')).toEqual({ ok: true, invitation: { code: 'K7Q29FXM', relay: 'https://relay.example' } });
    expect(readScan('http://192.168.1.7:9527/#pair=k7q2-9fxm')).toEqual({
      ok: true,
      invitation: { code: 'K7Q29FXM', relay: 'http://192.168.1.7:9527' },
    });
  });

  it('with anything else is not ours, even when it would do as a code', () => {
    for (const text of [
      'K7Q29FXM',
      '12345678',
      '#pair=K7Q29FXM',
      'https://example.com/',
      'WIFI:S:home;T:WPA;P:12345678;;',
      'javascript:alert(1)',
      '',
    ]) {
      expect(readScan(text)).toEqual({ ok: false, reason: 'foreign' });
    }
  });

  it('that leads to an address far away without encryption is refused as such', () => {
    expect(readScan('http://relay.example/#pair=K7Q29FXM')).toEqual({ ok: false, reason: 'insecure' });
  });
});
