/** A relay small enough to be obviously right, behind a network that delivers only when the test says so. */
import type { Delivered, Participant } from '../../../src/protocol/envelope.ts';
import type { Welcome } from '../../../src/protocol/handshake.ts';
import { canonicalJson, type JsonObject } from '../../../src/protocol/json.ts';
import { DEFAULT_LIMITS } from '../../../src/protocol/limits.ts';
import type { FakeSocket, SentFrame } from './fake-socket.ts';
import { control, welcome } from './rig.ts';

/** One socket as the relay and the network have it. */
export interface Line {
  socket: FakeSocket;
  participant: Participant;
  /** On their way to the relay. */
  up: string[];
  /** On their way to the client. */
  down: object[];
  opened: boolean;
  /** The client knows that it is over; what is on its way up may still arrive. */
  cut: boolean;
  greeted: boolean;
}

export class FakeRelay {
  readonly log: Delivered[] = [];
  readonly lines: Line[] = [];
  /** What every hello gets once more, when the replay does not bring it: pending calls, in a real relay. */
  readonly open = new Set<Delivered>();
  readonly #limits: Partial<Welcome['limits']>;
  #seq = 0;
  #oldest = 1;

  constructor(limits: Partial<Welcome['limits']> = { rate_per_s: 0 }) {
    this.#limits = limits;
  }

  /** A client dials. */
  dial(socket: FakeSocket, participant: Participant): void {
    const line: Line = { socket, participant, up: [], down: [], opened: false, cut: false, greeted: false };
    socket.onText = (text) => {
      if (text !== 'ping') line.up.push(text);
      else line.down.push({ pong: true });
    };
    this.lines.push(line);
  }

  /** One frame reaches the relay. */
  up(line: Line): void {
    const text = line.up.shift();
    if (text !== undefined) this.#receive(line, JSON.parse(text) as SentFrame);
  }

  /** One frame reaches the client. */
  down(line: Line): void {
    const frame = line.down.shift();
    if (frame && !line.cut) line.socket.says('pong' in frame ? 'pong' : JSON.stringify(frame));
  }

  /** A message of somebody whose network is perfect. */
  post(by: Participant, id: string, payload: JsonObject): Delivered {
    return this.#append(by, { v: 1, id, type: 'text', payload }, null);
  }

  /** Older messages are no longer kept. */
  trim(keep: number): void {
    this.#oldest = Math.max(this.#oldest, this.#seq + 1 - keep);
  }

  #receive(line: Line, frame: SentFrame): void {
    if (frame.type === 'system.hello') return this.#greet(line, frame.payload as { resume?: { epoch: string; seq: number } });
    if (frame.type.startsWith('system.')) return;
    const known = this.log.find(({ sender, id }) => 'id' in sender && sender.id === line.participant.id && id === frame.id);
    if (known && canonicalJson(known.payload) !== canonicalJson(frame.payload as JsonObject)) {
      line.down.push(control('system.error', { ref: frame.id, code: 'id_conflict', message: 'other content', retryable: false }));
      return;
    }
    const { seq } = known ?? this.#append(line.participant, frame, line);
    line.down.push(control('system.ack', { ref: frame.id, seq, duplicate: known !== undefined }));
  }

  #greet(line: Line, { resume }: { resume?: { epoch: string; seq: number } }): void {
    const inLog = resume !== undefined && resume.epoch === 'e1' && resume.seq >= this.#oldest - 1 && resume.seq <= this.#seq;
    const after = resume ? (inLog ? resume.seq : this.#oldest - 1) : this.#seq;
    line.greeted = true;
    line.down.push(
      control(
        'system.welcome',
        welcome({
          epoch: 'e1',
          head_seq: this.#seq,
          oldest_seq: this.#oldest,
          resumed: inLog,
          gap: resume !== undefined && !inLog,
          limits: { ...DEFAULT_LIMITS, ...this.#limits },
        }),
      ),
      ...[...this.open].filter(({ seq }) => (seq ?? 0) <= after),
      ...this.log.filter(({ seq }) => (seq ?? 0) > after),
      control('system.synced', { seq: this.#seq }),
    );
  }

  #append(by: Participant, frame: Pick<SentFrame, 'id' | 'type' | 'payload' | 'v'>, origin: Line | null): Delivered {
    const stored: Delivered = { v: 1, id: frame.id, type: frame.type, sender: by, seq: ++this.#seq, payload: frame.payload as JsonObject };
    this.log.push(stored);
    for (const line of this.lines) if (line.greeted && line !== origin) line.down.push(stored);
    return stored;
  }
}
