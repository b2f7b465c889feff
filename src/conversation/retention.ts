/** How long things are kept (§8): messages by count, bytes and age, and what goes with them. */
import type { Ledger } from './ledger.ts';

const DAY_MS = 86_400_000;

/** Trims what is beyond the limits, with everything that only trimmed messages needed. Part of every commit. */
export function retain(ledger: Ledger, now: number): void {
  const { log, calls, edits, files, surfaces, limits } = ledger;
  const maxAge = limits.retain_days * DAY_MS;
  const pinned = (): ReadonlySet<number> =>
    new Set([
      ...calls.pending().map(({ seq }) => seq),
      ...surfaces.all().flatMap(({ open_seq, patch_seq }) => (patch_seq === null ? [open_seq] : [open_seq, patch_seq])),
    ]);
  if (log.trim({ messages: limits.retain_messages, bytes: limits.retain_bytes, olderThan: now - maxAge }, pinned)) {
    calls.forgetBefore(log.oldest);
    edits.forgetBefore(log.oldest);
    files.forgetBefore(log.oldest);
  }
  scheduleRetention(ledger, now, maxAge);
}

/** The alarm for age is set once for the oldest run and moved when it fires: it costs no row a message. */
function scheduleRetention({ log, due }: Ledger, now: number, maxAge: number): void {
  const planned = due.at('retention', '');
  if (planned !== undefined && planned > now) return;
  const oldest = log.index.oldest();
  if (oldest) due.set('retention', '', Math.max(oldest.lastAt + maxAge, now + 1_000));
  else due.clear('retention', '');
}
