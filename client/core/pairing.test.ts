import { describe, expect, it } from 'vitest';
import { parsePairingInput } from './pairing.ts';

describe('a pairing input', () => {
  it.each([
    ['ABCD2345', { ok: true, code: 'ABCD2345' }],
    ['  abcd-2345 ', { ok: true, code: 'ABCD2345' }],
    ['ab cd 23 45', { ok: true, code: 'ABCD2345' }],
    ['abcd–2345', { ok: true, code: 'ABCD2345' }],
    ['oIlD2345', { ok: true, code: '011D2345' }],
    ['#pair=ABCD2345', { ok: true, code: 'ABCD2345' }],
    ['https://relay.example/#pair=ABCD2345', { ok: true, code: 'ABCD2345', origin: 'https://relay.example' }],
    ['https://relay.example/app?x=1#pair=abcd-2345', { ok: true, code: 'ABCD2345', origin: 'https://relay.example' }],
    ['relay.example/#pair=ABCD2345', { ok: true, code: 'ABCD2345', origin: 'https://relay.example' }],
    ['http://192.168.1.7:9527/#pair=ABCD2345', { ok: true, code: 'ABCD2345', origin: 'http://192.168.1.7:9527' }],
    [
      'http://192.168.1.7:9527/#pair=ABCD2345&conversation=cv_aaaaaaaaaaaaaaaa',
      { ok: true, code: 'ABCD2345', origin: 'http://192.168.1.7:9527', conversationId: 'cv_aaaaaaaaaaaaaaaa' },
    ],
    ['#pair=ABCD2345&conversation=../x', { ok: true, code: 'ABCD2345' }],
    ['http://localhost:8787/#pair=ABCD2345', { ok: true, code: 'ABCD2345', origin: 'http://localhost:8787' }],
  ])('%s is understood', (input, expected) => {
    expect(parsePairingInput(input)).toEqual(expected);
  });

  it.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['ABCD234', 'length'],
    ['ABCD23456', 'length'],
    ['ABCD234U', 'character'],
    ['ABCD234!', 'character'],
    ['ＡＢＣＤ２３４５', 'character'],
    ['https://relay.example/', 'no-code'],
    ['https://relay.example/#', 'no-code'],
    ['https://relay.example/#pair=', 'no-code'],
    ['https://relay.example/#pair=ABC', 'length'],
    ['http://relay.example/#pair=ABCD2345', 'insecure'],
    ['http://10.evil.example/#pair=ABCD2345', 'insecure'],
    ['http://192.168.evil.example/#pair=ABCD2345', 'insecure'],
    ['javascript://relay.example/#pair=ABCD2345', 'insecure'],
    ['https://a b/#pair=ABCD2345', 'no-code'],
  ])('%s is refused: %s', (input, reason) => {
    expect(parsePairingInput(input)).toEqual({ ok: false, reason });
  });
});
