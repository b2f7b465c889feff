/** What is known of the agent on the other side: whether it is there, how far it has read, and what it is doing. Its words are fit to be shown. */
import type { Participant } from '../../../src/protocol/envelope.ts';
import type { Peer } from '../../../src/protocol/handshake.ts';
import type { Payloads } from '../../../src/protocol/messages.ts';
import { shownName } from '../parts/shown-name.ts';
import { plainVisible } from '../parts/visible-text.ts';
import type { AgentView, ProgressView, StatusView } from './conversation-view.ts';

const STATES: readonly string[] = ['idle', 'thinking', 'working', 'waiting', 'error'] satisfies StatusView['state'][];

/** See the file's head. */
export class AgentWatch {
  /** Called when the agent stopped writing: it went away, or says that it is done. */
  readonly #onRest: () => void;
  #agent: AgentView;
  #status: StatusView | null = null;
  #progress: ProgressView | null = null;

  constructor({ id, name }: { id: string; name: string }, onRest: () => void) {
    this.#agent = { id, name: shownName(name), online: null, lastSeen: null, received: 0 };
    this.#onRest = onRest;
  }

  get agent(): AgentView {
    return this.#agent;
  }

  get status(): StatusView | null {
    return this.#status;
  }

  get progress(): ProgressView | null {
    return this.#progress;
  }

  /** The run that a stop is meant for. */
  get runId(): string | null {
    return this.#status?.runId ?? this.#progress?.runId ?? null;
  }

  /** The welcome tells who is there. */
  welcome(peers: readonly Peer[], status: unknown): void {
    const peer = peers.find(({ kind }) => kind === 'agent');
    if (peer) {
      const { id, name, online, last_seen, received } = peer;
      this.#agent = { id, name: shownName(name), online, lastSeen: last_seen, received: Math.max(received, this.#agent.received) };
    }
    this.setStatus(status, null);
  }

  /** The agent has read everything up to `seq`. */
  receipt(participant: Participant, seq: number): void {
    if (participant.kind === 'agent' && seq > this.#agent.received) this.#agent = { ...this.#agent, received: seq };
  }

  presence(peer: Participant, online: boolean, lastSeen: string | null): void {
    if (peer.kind !== 'agent') return;
    this.#agent = { ...this.#agent, online, lastSeen: lastSeen ?? this.#agent.lastSeen };
    if (!online) this.#rest();
  }

  /** @param since when this device saw it begin, in ms; null when it did not */
  setStatus(payload: unknown, since: number | null): void {
    const status = readStatus(payload);
    const same = status !== null && status.state === this.#status?.state && status.runId === this.#status.runId;
    this.#status = status && { ...status, since: same ? (this.#status?.since ?? null) : since };
    if (status === null || status.state === 'idle' || status.state === 'error') this.#rest();
  }

  setProgress(payload: Payloads['progress']): void {
    this.#progress = { runId: payload.run_id, percent: payload.percent ?? null, message: shownWords(payload.message) };
  }

  #rest(): void {
    this.#progress = null;
    this.#onRest();
  }
}

/** A `status` payload as this version knows it; a state of a later version is as good as none. */
function readStatus(payload: unknown): Omit<StatusView, 'since'> | null {
  if (typeof payload !== 'object' || payload === null || !('state' in payload)) return null;
  const { state, detail, run_id } = payload as Payloads['status'];
  if (!STATES.includes(state)) return null;
  return { state, detail: shownWords(detail), runId: run_id ?? null };
}

function shownWords(words: string | undefined): string | null {
  return words === undefined ? null : plainVisible(words);
}
