import { describe, expect, it } from 'vitest';
import { safeFileName } from './save-file.ts';

describe('the name of a file that is saved', () => {
  it('stays as it is when there is nothing wrong with it', () => {
    expect(safeFileName('Plan for 明天 2026-11-30.md')).toBe('Plan for 明天 2026-11-30.md');
  });

  it('leads nowhere and hides nothing', () => {
    expect(safeFileName('../../etc/passwd')).toBe('_.._etc_passwd');
    expect(safeFileName('C:\\a<b>|c?.txt')).toBe('C__a_b__c_.txt');
    expect(safeFileName('photo\u202Egpj.exe')).toBe('photo_gpj.exe');
    expect(safeFileName('.bashrc')).toBe('bashrc');
    expect(safeFileName('line\nbreak.md')).toBe('line_break.md');
  });

  it('is cut in front of its ending, between characters', () => {
    expect(safeFileName(`${'龙'.repeat(300)}.json`)).toBe(`${'龙'.repeat(60)}.json`);
    expect(safeFileName(`${'🐉'.repeat(300)}.json`)).toBe(`${'🐉'.repeat(60)}.json`);
  });

  it('is never empty', () => {
    expect(safeFileName('')).toBe('file');
    expect(safeFileName('...')).toBe('file');
  });
});
