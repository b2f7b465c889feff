import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { frameOf } from '../store/testing.ts';
import { SurfaceShelf } from './shelf.ts';

const APP = { id: 'com.example.board', name: 'Board', version: '1.0.0', html: '<p>' };

function shelf() {
  const sent: JsonObject[] = [];
  const all = new SurfaceShelf(
    (payload) => void sent.push(payload as JsonObject),
    (run) => run(),
  );
  const open = (seq: number, instanceId: string, live = true, state: JsonObject = { n: seq }) =>
    all.take(frameOf(seq, 'lineup.v1.ui.open', { instance_id: instanceId, app: APP, state }), live);
  const patch = (seq: number, instanceId: string, state: JsonObject) =>
    all.take(frameOf(seq, 'lineup.v1.ui.patch', { instance_id: instanceId, state }), true);
  const close = (seq: number, instanceId: string) => all.take(frameOf(seq, 'lineup.v1.ui.close', { instance_id: instanceId }), true);
  const names = () => all.view.get().open.map(({ instanceId }) => instanceId);
  return { shelf: all, sent, open, patch, close, names };
}

describe('what is open', () => {
  it('is what was opened and not closed, newest first, in its newest state', () => {
    const { shelf: all, open, patch, close, names } = shelf();
    open(1, 'a');
    open(2, 'b');
    open(3, 'c');
    patch(4, 'a', { n: 40 });
    close(5, 'b');
    expect(names()).toEqual(['c', 'a']);
    expect(all.view.get().open[1]?.state).toEqual({ n: 40 });
  });

  it('takes frames in any order: old patches and closes change nothing', () => {
    const { shelf: all, open, patch, close } = shelf();
    open(10, 'a');
    patch(14, 'a', { n: 14 });
    patch(12, 'a', { n: 12 });
    close(9, 'a');
    open(8, 'a');
    expect(all.view.get().open).toMatchObject([{ openId: 'm10', state: { n: 14 } }]);
  });

  it('is replaced whole by another open of the same instance', () => {
    const { shelf: all, open, patch } = shelf();
    open(1, 'a');
    patch(2, 'a', { n: 2 });
    open(3, 'a');
    expect(all.view.get().open).toMatchObject([{ openId: 'm3', state: { n: 3 } }]);
  });

  it('is no more than the relay names', () => {
    const { shelf: all, open, names } = shelf();
    open(1, 'a');
    open(2, 'b');
    all.welcome(['a']);
    expect(names()).toEqual(['a']);
    expect(all.view.get().active).toBeNull();
  });

  it('knows nothing of sealed ones', () => {
    const { shelf: all } = shelf();
    all.take(frameOf(1, 'lineup.v1.ui.open', { instance_id: 'a', app: { id: APP.id }, sealed: 'x' }), true);
    expect(all.view.get().open).toEqual([]);
  });
});

describe('what is on the screen', () => {
  it('is the newest that came live, and the first that was restored', () => {
    const { shelf: all, open } = shelf();
    open(1, 'a', false);
    open(2, 'b', false);
    expect(all.view.get().active).toBe('a');
    open(3, 'c');
    expect(all.view.get().active).toBe('c');
  });

  it('stays while it has the whole window', () => {
    const { shelf: all, open } = shelf();
    open(1, 'a');
    all.show('a', true);
    open(2, 'b');
    expect(all.view.get()).toMatchObject({ active: 'a', whole: true });
  });
});

describe('the user', () => {
  it('closes a surface for everyone, and it does not come back by being restored', () => {
    const { shelf: all, sent, open, names } = shelf();
    open(1, 'a');
    all.close('a');
    all.close('a');
    expect(sent).toEqual([{ instance_id: 'a', event: 'close', data: {} }]);
    open(1, 'a', false);
    expect(names()).toEqual([]);
    open(5, 'a');
    expect(names()).toEqual(['a']);
  });

  it('has closed what is still on its way to the relay', () => {
    const { shelf: all, open, names } = shelf();
    all.sending('lineup.v1.ui.event', { instance_id: 'a', event: 'close', data: {} });
    open(1, 'a', false);
    expect(names()).toEqual([]);
  });

  it('is heard in what is open alone; a wish to be closed closes', () => {
    const { shelf: all, sent, open, names } = shelf();
    open(1, 'a');
    all.event('gone', 'tap', {});
    all.event('a', 'tap', { x: 1 });
    all.event('a', 'close', {});
    expect(sent.map(({ event }) => event)).toEqual(['tap', 'close']);
    expect(names()).toEqual([]);
  });
});
