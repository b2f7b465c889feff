/** All stored state of one conversation, as one value that the rules work on. After a rollback it is dropped and loaded anew. */
import type { Participant } from '../protocol/envelope.ts';
import type { Limits } from '../protocol/limits.ts';
import { Calls } from './calls.ts';
import { Declarations } from './declarations.ts';
import { DueTable } from './due.ts';
import { Edits } from './edits.ts';
import { Files } from './files.ts';
import { Log } from './log.ts';
import { readMeta, type MetaFacts } from './meta.ts';
import { Participants } from './participants.ts';
import type { Sql } from './ports.ts';
import { Surfaces } from './surfaces.ts';

/** The stores of one conversation. */
export interface Ledger {
  meta: MetaFacts;
  agent: Participant;
  limits: Limits;
  participants: Participants;
  log: Log;
  due: DueTable;
  calls: Calls;
  edits: Edits;
  surfaces: Surfaces;
  declarations: Declarations;
  files: Files;
}

/** Loads a conversation; undefined when it was never made. */
export function loadLedger(sql: Sql, limits: Limits): Ledger | undefined {
  const meta = readMeta(sql);
  if (!meta) return undefined;
  const due = new DueTable(sql);
  return {
    meta,
    agent: { kind: 'agent', id: meta.agentId },
    limits,
    participants: new Participants(sql),
    log: new Log(sql, meta),
    due,
    calls: new Calls(sql, due),
    edits: new Edits(sql),
    surfaces: new Surfaces(sql),
    declarations: new Declarations(sql),
    files: new Files(sql),
  };
}
