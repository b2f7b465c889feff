import { expect, it, vi } from 'vitest';
import { frameOf } from '../store/testing.ts';
import { Observable } from '../store/observable.ts';
import { AskingSurfaces } from './asking.ts';
import type { Verdict } from './gate.ts';
import { SurfaceShelf } from './shelf.ts';

const bundle = { html: '', css: '', js: '' };

it('names the surfaces that the gate asks about, until they are agreed to, put off or closed', async () => {
  const known = new Set<string>();
  const at = (run: () => void) => run();
  const agreements = new Observable(() => known.size, at);
  const judge = ({ id }: { id: string }): Verdict => (known.has(id) ? { is: 'shown', bundle } : { is: 'asked', bundle, hash: id });
  const shelf = new SurfaceShelf(() => undefined, at);
  const asking = new AskingSurfaces(shelf, 'ag_1', at, { judge: (_agent, app) => Promise.resolve(judge(app)), agreements });
  const stop = asking.start();
  const open = (seq: number) =>
    shelf.take(
      frameOf(seq, 'lineup.v1.ui.open', { instance_id: `s${seq}`, app: { id: `app${seq}`, name: '', version: '1.0.0', html: '' }, state: {} }),
      true,
    );
  const named = () => asking.view.get().map(({ instanceId }) => instanceId);
  for (const seq of [1, 2, 3]) open(seq);
  await vi.waitFor(() => expect(named()).toEqual(['s3', 's2', 's1']));
  shelf.decline('s3');
  expect(named()).toEqual(['s2', 's1']);
  shelf.ask('s3');
  await vi.waitFor(() => expect(named()).toEqual(['s3', 's2', 's1']));
  known.add('app2');
  agreements.flush();
  await vi.waitFor(() => expect(named()).toEqual(['s3', 's1']));
  shelf.close('s1');
  expect(named()).toEqual(['s3']);
  stop();
});
