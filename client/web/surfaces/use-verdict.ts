/** What the gate says of a surface. */
import { useEffect, useState } from 'react';
import { useConversationPart, useView } from '../parts/contexts.ts';
import { bundleChanges } from './bundles.ts';
import { gate, type Verdict } from './gate.ts';
import type { Surface } from './shelf.ts';

/** Null while it is being judged. The user's agreement, or what becomes of an app of this host's own, makes it another one. */
export function useVerdict({ app }: Surface): Verdict | null {
  const agentId = useConversationPart((view) => view.agent.id);
  const agreements = useView(gate.agreements);
  const changes = useView(bundleChanges);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  useEffect(() => {
    let current = true;
    const judge = async () => {
      const next = await gate.judge(agentId, app);
      if (current) setVerdict(next);
    };
    void judge();
    return () => {
      current = false;
    };
  }, [agentId, app, agreements, changes]);
  return verdict;
}
