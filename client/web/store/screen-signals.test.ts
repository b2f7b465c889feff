import { expect, it } from 'vitest';
import { FakePage } from '../../core/testing/rig.ts';
import { Observable } from './observable.ts';
import { screenSignals } from './screen-signals.ts';

it('a conversation is seen while the page is and it is the one on it', () => {
  const page = new FakePage();
  let on = false;
  const onScreen = new Observable(
    () => on,
    (run) => run(),
  );
  const signals = screenSignals(page, onScreen);
  const heard: string[] = [];
  const stop = signals?.watch((signal) => heard.push(`${signal} ${String(signals.visible())}`));
  const turn = (next: boolean) => {
    on = next;
    onScreen.changed();
  };
  page.tells('shown');
  turn(true);
  page.tells('offline');
  page.tells('hidden');
  turn(false);
  turn(true);
  stop?.();
  turn(false);
  expect(heard).toEqual(['shown false', 'shown true', 'offline true', 'hidden false', 'hidden false', 'hidden false']);
});
