/** A surface that the agent opened. Everything about surfaces is loaded with the first one. */
import { lazy, Suspense } from 'react';
import type { Entry } from '../model/entry.ts';

const SurfaceCard = lazy(() => import('../surfaces/surface-card.tsx'));

export function SurfaceEntry({ entry }: { entry: Entry }) {
  return (
    <Suspense fallback={<div className="surface-waiting" />}>
      <SurfaceCard entry={entry} />
    </Suspense>
  );
}
