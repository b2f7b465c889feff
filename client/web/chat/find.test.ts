import { describe, expect, it } from 'vitest';
import type { Entry } from '../model/entry.ts';
import { find } from './find.ts';

const said = (content: string) => ({ type: 'text', payload: { content }, key: content }) as unknown as Entry;
const hit = (content: string, query: string) => find([said(content)], query, 10)[0];

describe('finding words', () => {
  it.each([
    ['The café is open', 'cafe', 'café'],
    ['The cafe is open', 'café', 'cafe'],
    ['from İstanbul with love', 'istanbul', 'İstanbul'],
    ['ISTANBUL', 'istanbul', 'ISTANBUL'],
    ['Ein GRÜẞ Gott', 'grüß', 'GRÜẞ'],
    ['cafe\u0301 au lait', 'café', 'cafe\u0301'],
    ['😀 İ and then here', 'here', 'here'],
    ['去厨房看看', '厨房', '厨房'],
    ['ガラス', 'ガラス', 'ガラス'],
  ])('in “%s”, “%s” is found whatever its marks and case', (content, query, match) => {
    expect(hit(content, query)?.match).toBe(match);
  });

  it('shows what stands around it, as it was written', () => {
    expect(hit('Été: le café noir', 'cafe')).toMatchObject({ before: 'Été: le ', match: 'café', after: ' noir' });
  });

  it('finds nothing of which only marks are asked for', () => {
    expect(hit('café', '\u0301')).toBeUndefined();
  });
});
