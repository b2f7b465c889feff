import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bundleIntegrity, canonicalBundle, INTEGRITY_PATTERN } from './bundle.ts';

describe('the canonical form of a bundle', () => {
  it('is three netstrings over UTF-8 bytes', () => {
    const text = new TextDecoder().decode(canonicalBundle({ html: '<p>天</p>', css: '', js: 'x' }));
    expect(text).toBe('10:<p>天</p>,0:,1:x,');
  });

  it('tells bundles apart whose parts join to the same text', async () => {
    const one = await bundleIntegrity({ html: 'ab', css: '', js: 'c' });
    expect(await bundleIntegrity({ html: 'a', css: 'b', js: 'c' })).not.toBe(one);
    expect(await bundleIntegrity({ html: '', css: 'ab', js: 'c' })).not.toBe(one);
  });

  it('hashes to what any other SHA-256 makes of it', async () => {
    const expected = createHash('sha256').update('3:<p>,2:p{,1:1,').digest('base64');
    const integrity = await bundleIntegrity({ html: '<p>', css: 'p{', js: '1' });
    expect(integrity).toBe(`sha256-${expected}`);
    expect(integrity).toMatch(INTEGRITY_PATTERN);
  });
});
