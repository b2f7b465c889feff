import { describe, expect, it } from 'vitest';
import { fc, test } from '@fast-check/vitest';
import { addressParts } from './address.ts';

describe('an address', () => {
  it.each([
    ['https://docs.example.com/a?b#c', 'docs.', 'example.com', '/a?b#c', []],
    ['https://paypal.com.evil.co.uk/login', 'paypal.com.', 'evil.co.uk', '/login', []],
    ['https://me.github.io', '', 'me.github.io', '/', []],
    ['http://example.com:8080/', '', 'example.com', ':8080/', ['insecure']],
    ['https://127.0.0.1/', '', '127.0.0.1', '/', ['number']],
    ['https://2130706433/', '', '127.0.0.1', '/', ['number']],
    ['https://[::1]/', '', '[::1]', '/', ['number']],
    ['https://www.example.com./', 'www.', 'example.com.', '/', []],
    ['https://localhost/', '', 'localhost', '/', []],
    ['https://аррӏе.com/', '', 'xn--80ak6aa92e.com', '/', ['punycode']],
    ['https:\\\\example.com\\a', '', 'example.com', '/a', []],
    ['https://exam\u200Bple.com/', '', 'example.com', '/', []],
    ['https://example.com/\u202Egpj', '', 'example.com', '/%E2%80%AEgpj', []],
  ])('%s marks the domain', (address, subdomain, domain, rest, warnings) => {
    expect(addressParts(address)).toMatchObject({ subdomain, domain, rest, warnings });
  });

  it.each(['javascript:alert(1)', 'example.com', 'mailto:a@b.c', 'data:text/html,x'])('%s is none', (address) => {
    expect(addressParts(address)).toBeNull();
  });

  test.prop([fc.webUrl({ withFragments: true, withQueryParameters: true })])('shown whole is exactly what is opened', (address) => {
    const parts = addressParts(address);
    expect(parts && parts.scheme + parts.subdomain + parts.domain + parts.rest).toBe(new URL(address).href);
  });
});
