/** What a socket gets when it says hello (§4): the welcome, what is restored, and where its replay starts. */
import type { Hello, Peer, Welcome } from '../protocol/handshake.ts';
import type { Envelope, Participant } from '../protocol/envelope.ts';
import type { Json } from '../protocol/json.ts';
import { canSee } from './audience.ts';
import { isoTime } from './effects.ts';
import type { Ledger } from './ledger.ts';
import type { Member } from './participants.ts';
import { keptFor } from './pump.ts';

/** Where a replay starts, and how it is announced. */
export interface ResumePoint {
  /** Replay everything after this. */
  after: number;
  resumed: boolean;
  gap: boolean;
}

/**
 * Where a client's resume leads (§4): without one nothing is replayed; with an unknown epoch, or a seq outside the log, the
 * whole log is, and the gap is announced.
 */
export function resumePoint({ log, meta }: Ledger, resume: Hello['resume']): ResumePoint {
  if (!resume) return { after: log.head, resumed: false, gap: false };
  const inLog = resume.epoch === meta.epoch && resume.seq >= log.oldest - 1 && resume.seq <= log.head;
  return inLog ? { after: resume.seq, resumed: true, gap: false } : { after: log.oldest - 1, resumed: false, gap: true };
}

/** Who is on the other side: for a device its agent, for the agent its devices. */
export function peersOf({ participants }: Ledger, you: Participant, isOnline: (id: string) => boolean): Peer[] {
  return participants.all(you.kind === 'agent' ? 'app' : 'agent').map((member) => peer(member, isOnline(member.id)));
}

/** A member as peers see it. */
export function peer({ kind, id, name, seen_at, cursor }: Member, online: boolean): Peer {
  return { kind, id, name, online, last_seen: seen_at === null ? null : isoTime(seen_at), received: cursor };
}

/** The welcome's payload. */
export function welcome(
  ledger: Ledger,
  you: Participant,
  { point, token, isOnline }: { point: ResumePoint; token: string | null; isOnline: (id: string) => boolean },
): Welcome {
  const { meta, log, declarations, limits } = ledger;
  const status = declarations.statusFor(you.id);
  return {
    you,
    conversation: { id: meta.conversationId, title: meta.title },
    epoch: meta.epoch,
    head_seq: log.head,
    oldest_seq: log.oldest,
    resumed: point.resumed,
    gap: point.gap,
    peers: peersOf(ledger, you, isOnline),
    status: status === undefined ? null : (JSON.parse(status) as Envelope).payload,
    pending_calls: pendingFor(ledger, you).map(({ call_id }) => call_id),
    surfaces: surfacesFor(ledger, you).map(({ instance_id }) => instance_id),
    ...(you.kind === 'agent' && {
      inventories: declarations.keptAll('inventory:').map(({ device, frame }) => ({
        device_id: device,
        revision: String((JSON.parse(frame) as Envelope).payload.revision as Json),
      })),
    }),
    limits,
    token,
  };
}

/**
 * What the replay after `after` will not bring again (§4 "Restored"): for a device each pending call it may answer and of each
 * open surface the open and the newest patch, ascending by seq; for the agent what each device keeps.
 */
export function restored(ledger: Ledger, you: Participant, after: number): string[] {
  if (you.kind === 'agent') return keptFor(ledger, you);
  const seqs = [
    ...pendingFor(ledger, you).map(({ seq }) => seq),
    ...surfacesFor(ledger, you).flatMap(({ open_seq, patch_seq }) => (patch_seq === null ? [open_seq] : [open_seq, patch_seq])),
  ];
  return seqs
    .filter((seq) => seq <= after)
    .sort((a, b) => a - b)
    .flatMap((seq) => ledger.log.frameAt(seq) ?? []);
}

function pendingFor({ calls, agent }: Ledger, you: Participant): ReturnType<Ledger['calls']['pending']> {
  return calls.pending().filter(({ audience }) => canSee(audience, agent.id, you));
}

function surfacesFor({ surfaces, agent }: Ledger, you: Participant): ReturnType<Ledger['surfaces']['all']> {
  return surfaces.all().filter(({ audience }) => canSee(audience, agent.id, you));
}
