/** What the gate says of a surface. */
import { useEffect, useState } from 'react';
import { useConversationPart, useView } from '../parts/contexts.ts';
import { bundleChanges } from './bundles.ts';
import { gate, type Verdict } from './gate.ts';
import type { Surface } from './shelf.ts';

/** Null while it is being judged, and for none. The user's agreement, or what becomes of an app of this host's own, makes it another one. */
export function useVerdict(surface: Surface | null): Verdict | null {
  const app = surface?.app;
  const agentId = useConversationPart((view) => view.agent.id);
  const agreements = useView(gate.agreements);
  const changes = useView(bundleChanges);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  useEffect(() => {
    if (!app) return;
    let current = true;
    const judge = async () => {
      const next = await gate.judge(agentId, app);
      // The same verdict as before must be the same object: another bundle would start the surface anew.
      if (current) setVerdict((last) => (last !== null && isSame(last, next) ? last : next));
    };
    void judge();
    return () => {
      current = false;
    };
  }, [agentId, app, agreements, changes]);
  return app ? verdict : null;
}

function isSame(a: Verdict, b: Verdict): boolean {
  if (a.is === 'refused' || b.is === 'refused') return a.is === b.is && 'why' in a && 'why' in b && a.why === b.why;
  return a.is === b.is && a.bundle.html === b.bundle.html && a.bundle.css === b.bundle.css && a.bundle.js === b.bundle.js;
}
