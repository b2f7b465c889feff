/** `ws://…:9527/`: one bare v1 client. It says hello with the pre-shared token, and is a participant like any other behind it. */
import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Connection, Transport } from '../../../src/conversation/connection.ts';
import { CLOSE } from '../../../src/protocol/close-codes.ts';
import { readFrame, type Delivered, type Participant } from '../../../src/protocol/envelope.ts';
import { hello as helloSchema, type Hello } from '../../../src/protocol/handshake.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/protocol/json.ts';
import { HELLO_DEADLINE_MS } from '../../../src/protocol/limits.ts';
import { isSameSecret } from '../../../src/worker/auth/owner-key.ts';
import { knows } from '../../../src/worker/directory/admitting.ts';
import { VERSION } from '../version.ts';
import { onLeaving } from './client-socket.ts';
import { closeWith } from './conversation-socket.ts';
import type { DirectRelay } from './direct-relay.ts';
import { frameOf } from './frame-of.ts';
import type { LocalConversation } from './local-conversation.ts';
import { toV1, type FileAddress, type V1Role } from './v1-words.ts';

/** What a v1 client meets at its address. */
export interface V1Door {
  relay: DirectRelay;
  /** The pre-shared token. */
  token: string;
  /** The conversation that the address names; null when it names none: then the first one of `agentId`. */
  conversationId: string | null;
  agentId: string;
  /** The address of a file, as this client reaches it. */
  fileAddress(conversationId: string, fileId: string): string;
  /** Hears what a v1 client sent in vain, since its document has no way to tell it. */
  refused(reason: string): void;
}

/** How often the client's place in the log is noted, in ms. It confirms nothing itself. */
const NOTE_EVERY_MS = 1_000;
/** Frames that may come before the answer to hello. */
const MAX_HELD_FRAMES = 64;
/** Directory names are no longer than this. */
const MAX_NAME = 128;

/** Serves a socket that has just opened. */
export function serveV1(door: V1Door, socket: WebSocket): void {
  const deadline = setTimeout(() => closeWith(socket, CLOSE.helloTimeout), HELLO_DEADLINE_MS);
  const held: (string | ArrayBuffer)[] = [];
  let client: V1Client | 'waiting' | undefined;
  onLeaving(socket, () => {
    clearTimeout(deadline);
    if (client instanceof V1Client) client.closed();
  });
  socket.on('pong', () => {
    if (client instanceof V1Client) client.alive();
  });
  socket.on('message', (data, isBinary) => {
    const frame = frameOf(data, isBinary);
    if (client instanceof V1Client) return client.receive(frame);
    if (client === 'waiting') {
      if (held.length < MAX_HELD_FRAMES) held.push(frame);
      else closeWith(socket, CLOSE.handshake);
      return;
    }
    client = 'waiting';
    clearTimeout(deadline);
    admit(door, socket, frame).then(
      (admitted) => {
        if (typeof admitted === 'number') return closeWith(socket, admitted);
        client = admitted;
        client.start();
        for (const early of held) client.receive(early);
        if (socket.readyState !== socket.OPEN) client.closed();
      },
      (error: unknown) => {
        door.relay.report(error);
        socket.close(1011);
      },
    );
  });
}

/** Judges the first frame: the client, or the code that closes its socket. */
async function admit(door: V1Door, socket: WebSocket, frame: string | ArrayBuffer): Promise<V1Client | (typeof CLOSE)[keyof typeof CLOSE]> {
  const { relay } = door;
  const read =
    typeof frame === 'string' ? readFrame(frame, { conversationId: door.conversationId ?? '', from: 'app', limits: relay.limits }) : undefined;
  const hello = read?.ok && read.value.envelope.type === 'system.hello' ? helloSchema.safeParse(read.value.envelope.payload) : undefined;
  if (!hello?.success) return CLOSE.handshake;
  if (hello.data.token === undefined || !isSameSecret(hello.data.token, door.token)) return CLOSE.unauthorized;
  const conversationId = door.conversationId ?? relay.registry.conversations.listOf(door.agentId)[0]?.conversation_id;
  const agentId = conversationId && relay.registry.conversations.find(conversationId)?.agent_id;
  if (!agentId || !(await knows(relay.registry, conversationId))) return CLOSE.notFound;
  // The document's agents say which agent they are, its apps on which platform.
  const role: V1Role = hello.data.agent === undefined ? 'app' : 'agent';
  const participant = role === 'agent' ? { kind: role, id: agentId } : await deviceOf(door, agentId, hello.data);
  if (!participant) return CLOSE.tooFast;
  const conversation = relay.conversation(conversationId);
  return conversation.conversation ? new V1Client(door, socket, { conversation, conversationId, participant, hello: hello.data }) : CLOSE.notFound;
}

async function deviceOf({ relay, refused }: V1Door, agentId: string, hello: Hello): Promise<Participant | null> {
  const device = await relay.v1Apps.deviceOf(agentId, { name: hello.name.slice(0, MAX_NAME), platform: hello.platform?.slice(0, 64) || 'v1' });
  if (device.ok) return { kind: 'app', id: device.value };
  refused(device.error.message);
  return null;
}

/** What a client is, once its hello was accepted. */
interface V1Identity {
  conversation: LocalConversation;
  conversationId: string;
  participant: Participant;
  hello: Hello;
}

/** A v1 client that was let in: a transport of the conversation on one side, the document's envelopes on the other. */
class V1Client implements Transport {
  readonly #door: V1Door;
  readonly #socket: WebSocket;
  readonly #identity: V1Identity;
  readonly #fileAddress: FileAddress;
  #connection: Connection | undefined;
  #heardAt = Date.now();
  #sentSeq = 0;
  #noting: NodeJS.Timeout | undefined;

  constructor(door: V1Door, socket: WebSocket, identity: V1Identity) {
    this.#door = door;
    this.#socket = socket;
    this.#identity = identity;
    this.#fileAddress = (fileId) => door.fileAddress(identity.conversationId, fileId);
  }

  /** Enters the conversation, from where this participant was when it left; an app that is new begins with what is new. */
  start(): void {
    const { conversation, participant, hello } = this.#identity;
    const core = conversation.conversation;
    if (!core) return closeWith(this.#socket, CLOSE.notFound);
    const member = core.ledger.participants.get(participant.id);
    const isNew = participant.kind === 'app' && (member?.seen_at ?? null) === null;
    this.#connection = conversation.open(this, { participant, name: hello.name, fresh_token: null, at: Date.now() });
    const resume = isNew ? undefined : { epoch: core.ledger.meta.epoch, seq: member?.cursor ?? 0 };
    this.#tell('system.hello', { name: hello.name, session: randomUUID(), ...(resume && { resume }) });
  }

  /** A frame of the client. */
  receive(frame: string | ArrayBuffer): void {
    this.alive();
    const { type, id, payload } = typeof frame === 'string' ? peek(frame) : {};
    // It has been greeted; to say hello twice does no harm.
    if (type === 'system.hello') return;
    if (this.#role === 'app' && type === 'tool.list' && isJsonObject(payload) && payload.tools === undefined) {
      // The document lets both sides ask. An agent's own tools are its own affair here.
      this.#write({ v: 1, id: `tools_${String(id)}`.slice(0, 128), type, payload: { tools: [] } });
      return;
    }
    this.#hand(frame);
  }

  /** The client, or its browser, has shown that it is there. */
  alive(): void {
    this.#heardAt = Date.now();
  }

  /** The socket has gone. */
  closed(): void {
    clearTimeout(this.#noting);
    if (this.#connection) this.#identity.conversation.conversation?.closed(this.#connection);
    this.#connection = undefined;
  }

  send(frame: string): void {
    const message = JSON.parse(frame) as Delivered;
    if (message.type === 'system.welcome') return this.#greet(message.payload);
    if (message.type === 'system.error') return this.#door.refused(String(message.payload.message));
    const seq = message.type === 'system.synced' ? message.payload.seq : message.seq;
    if (typeof seq === 'number') this.#sent(seq);
    const put = toV1(message, this.#role, this.#fileAddress);
    if (put) this.#write(put);
  }

  close(code: (typeof CLOSE)[keyof typeof CLOSE]): void {
    closeWith(this.#socket, code);
  }

  save(): void {}

  lastPingAt(): number | null {
    return this.#heardAt;
  }

  get #role(): V1Role {
    return this.#identity.participant.kind;
  }

  /** The other side's hello, as the document has it: an agent shows the token, which this client has just shown itself. */
  #greet({ peers }: JsonObject): void {
    const [peer] = Array.isArray(peers) ? peers : [];
    const name = isJsonObject(peer) ? String(peer.name) : 'LineUp';
    const side = this.#role === 'app' ? { token: this.#door.token, agent: 'LineUp' } : { platform: 'lineup' };
    this.#write({ v: 1, id: `hello_${randomUUID()}`, type: 'system.hello', payload: { name, ...side, version: VERSION } });
  }

  /** Everything up to here is on its way. It is noted as received a moment later, unless the line breaks or holds it up. */
  #sent(seq: number): void {
    this.#sentSeq = Math.max(this.#sentSeq, seq);
    this.#noting ??= setTimeout(() => {
      this.#noting = undefined;
      if (this.#socket.bufferedAmount > 0) this.#sent(0);
      else if (this.#sentSeq > 0) this.#tell('system.received', { seq: this.#sentSeq });
    }, NOTE_EVERY_MS);
  }

  /** Says something to the conversation that the client has no words for. */
  #tell(type: string, payload: JsonObject): void {
    this.#hand(JSON.stringify({ v: 1, id: `v1_${randomUUID()}`, type, payload }));
  }

  #hand(frame: string | ArrayBuffer): void {
    if (this.#connection) void this.#identity.conversation.conversation?.receive(this.#connection, frame);
  }

  #write(envelope: object): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(envelope));
  }
}

/** A look at a frame that the conversation will judge. */
function peek(frame: string): { type?: Json; id?: Json; payload?: Json } {
  try {
    const read = JSON.parse(frame) as Json;
    return isJsonObject(read) ? read : {};
  } catch {
    return {};
  }
}
