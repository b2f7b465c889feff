import { describe, expect, it } from 'vitest';
import { belongsToInputMethod } from './use-ime.ts';

describe('an Enter', () => {
  it('that confirms a candidate does not send', () => {
    expect(belongsToInputMethod({ isComposing: true, keyCode: 13 }, -Infinity, 1_000)).toBe(true);
    expect(belongsToInputMethod({ isComposing: false, keyCode: 229 }, -Infinity, 1_000)).toBe(true);
  });

  it('right after the end of a composition still belongs to it, as WebKit reports it late', () => {
    expect(belongsToInputMethod({ isComposing: false, keyCode: 13 }, 1_000, 1_079)).toBe(true);
    expect(belongsToInputMethod({ isComposing: false, keyCode: 13 }, 1_000, 1_080)).toBe(false);
  });

  it('without any composition sends', () => {
    expect(belongsToInputMethod({ isComposing: false, keyCode: 13 }, -Infinity, 0)).toBe(false);
  });
});
