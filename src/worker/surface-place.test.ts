import { expect, it } from 'vitest';
import { asOrigin, mayShow, surfaceOrigin } from './surface-place.ts';

it('an app shows surfaces from as far away as it can', () => {
  expect(surfaceOrigin('https://relay.example', undefined)).toBe('https://relay.example');
  expect(surfaceOrigin('https://relay.example', 'https://surfaces.example')).toBe('https://surfaces.example');
  expect(surfaceOrigin('http://127.0.0.1:8787', '')).toBe('http://localhost:8787');
  expect(surfaceOrigin('http://localhost:8787', undefined)).toBe('http://127.0.0.1:8787');
  expect(() => surfaceOrigin('https://relay.example', 'surfaces.example')).toThrow(RangeError);
  expect(() => surfaceOrigin('https://relay.example', 'https://surfaces.example/path')).toThrow(RangeError);
});

it('the page is shown in its own app, in that of its other local name, and from a hostname of its own in any', () => {
  expect(mayShow('https://relay.example', 'https://relay.example', undefined)).toBe(true);
  expect(mayShow('https://relay.example', 'https://evil.example', undefined)).toBe(false);
  expect(mayShow('http://localhost:8787', 'http://127.0.0.1:8787', undefined)).toBe(true);
  expect(mayShow('http://localhost:8787', 'http://127.0.0.1:9999', undefined)).toBe(false);
  expect(mayShow('https://surfaces.example', 'https://relay.example', 'https://surfaces.example')).toBe(true);
  expect(mayShow('https://relay.example', 'https://evil.example', 'https://surfaces.example')).toBe(false);
});

it('an origin is one in its only spelling', () => {
  for (const text of ['https://a.example/', 'https://a.example;script-src *', 'javascript:1', 'null', "'self'", 'HTTPS://A.example'])
    expect(asOrigin(text)).toBeNull();
  expect(asOrigin('https://a.example:8443')).toBe('https://a.example:8443');
});
