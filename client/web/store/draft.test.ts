import { describe, expect, it } from 'vitest';
import { Draft } from './draft.ts';
import { LocalStore } from './local-store.ts';

function twoTabs() {
  const local = new LocalStore(null);
  return { local, one: new Draft(local, 'cv_1'), other: new Draft(local, 'cv_1') };
}

describe('a draft', () => {
  it('is there for the next page, until it is sent', () => {
    const { local, one } = twoTabs();
    one.keep('half a thought');
    expect(new Draft(local, 'cv_1').text).toBe('half a thought');
    one.keep('');
    expect(new Draft(local, 'cv_1').text).toBe('');
  });

  it('that an earlier page kept goes when it is sent', () => {
    const { local, one } = twoTabs();
    local.write('draft.cv_1', 'from before');
    expect(one.text).toBe('from before');
    one.keep('');
    expect(local.read('draft.cv_1')).toBeNull();
  });

  it('of one tab stays when another tab sends what it wrote itself', () => {
    const { local, one, other } = twoTabs();
    one.keep('one');
    other.keep('other');
    one.keep('');
    expect(local.read('draft.cv_1')).toBe('other');
    expect(other.text).toBe('other');
  });

  it('can still be read after the conversation is gone and nothing of it is kept', () => {
    const { local, one } = twoTabs();
    one.keep('half a thought');
    local.forget('cv_1');
    expect(one.text).toBe('half a thought');
  });
});
