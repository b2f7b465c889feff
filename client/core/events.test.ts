import { describe, expect, it } from 'vitest';
import { Emitter } from './events.ts';

interface Events {
  a: number;
  b: string;
}

describe('an emitter', () => {
  it('tells every listener of the event, in order, until it is taken off', () => {
    const emitter = new Emitter<Events>();
    const heard: string[] = [];
    const off = emitter.on('a', (n) => heard.push(`first ${n}`));
    emitter.on('a', (n) => heard.push(`second ${n}`));
    emitter.on('b', (s) => heard.push(s));
    emitter.emit('a', 1);
    off();
    off();
    emitter.emit('a', 2);
    emitter.emit('b', 'x');
    expect(heard).toEqual(['first 1', 'second 1', 'second 2', 'x']);
    expect([emitter.has('a'), new Emitter<Events>().has('a')]).toEqual([true, false]);
  });

  it('lets one function listen twice and go once', () => {
    const emitter = new Emitter<Events>();
    let times = 0;
    const count = () => times++;
    const off = emitter.on('a', count);
    emitter.on('a', count);
    emitter.emit('a', 1);
    off();
    emitter.emit('a', 1);
    expect(times).toBe(3);
  });

  it('tells a listener that comes in the middle only the next time', () => {
    const emitter = new Emitter<Events>();
    const late: number[] = [];
    const off = emitter.on('a', () => {
      off();
      emitter.on('a', (n) => late.push(n));
    });
    emitter.emit('a', 1);
    emitter.emit('a', 2);
    expect(late).toEqual([2]);
  });

  it('gives what a listener throws to the one who asked for it', () => {
    const faults: unknown[] = [];
    const emitter = new Emitter<Events>((error, event) => faults.push([error, event]));
    const heard: number[] = [];
    emitter.on('a', () => {
      throw new Error('bug');
    });
    emitter.on('a', (n) => heard.push(n));
    emitter.emit('a', 1);
    expect(heard).toEqual([1]);
    expect(faults).toEqual([[new Error('bug'), 'a']]);
  });
});
