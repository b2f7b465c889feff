/** An agent that does exactly what a journey says: a real participant over client/core, without a mind of its own. */
import { Connection } from '../../client/core/connection.ts';
import { MemoryCursorStore } from '../../client/core/cursor-store.ts';
import type { DurableType } from '../../client/core/frames.ts';
import { RelayHttp, type Enrolled, type Pairing } from '../../client/core/http.ts';
import { MemoryOutboxStore } from '../../client/core/outbox-store.ts';
import type { Delivered } from '../../src/protocol/envelope.ts';
import type { Payloads } from '../../src/protocol/messages.ts';
import { OWNER_KEY } from '../support/relay-process.ts';

/** How long a journey waits for a frame, in ms. */
const HEARD_WITHIN_MS = 15_000;

/** See the file's head. */
export class ScriptedAgent {
  readonly origin: string;
  readonly enrolled: Enrolled;
  readonly http: RelayHttp;
  readonly connection: Connection;
  /** Everything that devices sent, in order. */
  readonly heard: Delivered[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(origin: string, enrolled: Enrolled, name: string, conversationId: string) {
    this.enrolled = enrolled;
    this.origin = origin;
    this.http = new RelayHttp({ origin, token: () => enrolled.token });
    this.connection = new Connection({
      relay: origin,
      conversationId,
      self: { kind: 'agent', id: enrolled.agent_id },
      credentials: { load: () => enrolled.token, save: () => undefined },
      hello: { name, agent: 'scripted' },
      outbox: new MemoryOutboxStore(),
      cursor: new MemoryCursorStore(),
      start: 'oldest',
      page: null,
    });
    this.connection.on('message', (message) => {
      this.heard.push(message);
      for (const wake of this.#waiting) wake();
    });
  }

  /** Enrols an agent and connects it. */
  static async start(origin: string, name = 'Hermes'): Promise<ScriptedAgent> {
    const enrolled = await RelayHttp.enrol(origin, OWNER_KEY, { name });
    const agent = new ScriptedAgent(origin, enrolled, name, enrolled.conversation_id);
    await agent.connect();
    return agent;
  }

  /** Connects it (again); resolves when it is online. */
  async connect(): Promise<void> {
    const online = new Promise<void>((resolve) => {
      const unlisten = this.connection.on('synced', () => {
        unlisten();
        resolve();
      });
    });
    this.connection.start();
    await online;
  }

  /** The same agent in another of its conversations. */
  async inConversation(conversationId: string): Promise<ScriptedAgent> {
    const agent = new ScriptedAgent(this.origin, this.enrolled, 'Hermes', conversationId);
    await agent.connect();
    return agent;
  }

  pairing(): Promise<Pairing> {
    return this.http.createPairing();
  }

  /** Sends a message and waits until the relay has it. Returns its id. */
  async send<T extends DurableType>(type: T, payload: Payloads[T], options: { id?: string } = {}): Promise<string> {
    const sent = await this.connection.send(type, payload, options);
    await sent.done;
    return sent.id;
  }

  say(content: string): Promise<string> {
    return this.send('text', { content });
  }

  /** Asks something; returns the call's id. */
  async ask(name: string, action: string, args: Payloads['tool.call']['arguments'], callId = `call-${crypto.randomUUID()}`): Promise<string> {
    await this.send('tool.call', { name, action, call_id: callId, arguments: args });
    return callId;
  }

  /** The first message, heard already or later, that is looked for. */
  async hear(what: (message: Delivered) => boolean, described = 'message'): Promise<Delivered> {
    const known = this.heard.find(what);
    if (known) return known;
    return new Promise((resolve, reject) => {
      const wake = () => {
        const found = this.heard.find(what);
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(wake);
        reject(new Error(`did not hear: ${described}; heard ${this.heard.map(({ type }) => type).join(', ')}`));
      }, HEARD_WITHIN_MS);
      this.#waiting.add(wake);
    });
  }

  /** The result of a call. */
  async result(callId: string): Promise<Payloads['tool.result']> {
    const message = await this.hear(({ type, payload }) => type === 'tool.result' && payload.call_id === callId, `the result of ${callId}`);
    return message.payload as Payloads['tool.result'];
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
