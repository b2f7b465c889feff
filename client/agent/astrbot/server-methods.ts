/** The methods of AstrBot's ACP over served agents: what the specification leaves open is settled here and written down in docs/acp.md. */
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../../src/protocol/json.ts';
import { randomId } from '../../core/random-id.ts';
import type { Caller, Request } from './server.ts';
import { ACP_CODES, RpcError } from './json-rpc.ts';
import type { ActionOutcome, ServedAgent } from './served-agents.ts';
import { Tasks } from './tasks.ts';

/** What the methods stand on. */
export interface ServerMethodsOptions {
  version: string;
  /** The agents as they are now, the one for everything first. */
  agents: (refresh: boolean, signal: AbortSignal) => Promise<ServedAgent[]>;
  /** Where the server listens, for the announcement of an agent. */
  endpoints: () => JsonObject;
}

interface Subscription {
  id: string;
  agent: string | null;
  events: string[] | null;
  caller: Caller;
}

/** Events that can be subscribed to. */
export const EVENTS = ['message', 'cancel', 'presence', 'task'] as const;
/** Calls of one agent at the same time: nobody answers more questions at once. */
const MAX_OPEN_CALLS = 32;
const MAX_SUBSCRIPTIONS = 256;

const agentField = z.string().min(1).optional();
const messageText = z.union([z.string().min(1), z.looseObject({ text: z.string().min(1) }), z.looseObject({ content: z.string().min(1) })]);
const actionParams = z.object({
  agent: agentField,
  capability: z.string().min(1).optional(),
  action: z.string().min(1).max(256),
  args: z.custom<JsonObject>(isJsonObject, 'expected an object').default({}),
  stream: z.boolean().optional(),
  timeout_ms: z.number().int().min(1).max(604_800_000).optional(),
});
const infoParams = z.looseObject({ agent: z.string().min(1) });
const subscribeParams = z.looseObject({ agent: agentField, events: z.array(z.enum(EVENTS)).optional() });
const unsubscribeParams = z.looseObject({ subscription_id: z.string() });
const taskParams = z.looseObject({ task_id: z.string().min(1) });
const sendParams = z.looseObject({ agent: z.string().min(1), message: messageText, conversation_id: z.string().optional() });
const broadcastParams = z.looseObject({ message: messageText });

/** See the file's head. */
export class ServerMethods {
  readonly #options: ServerMethodsOptions;
  readonly #tasks = new Tasks((task) => this.publish(String(task.agent), 'task', task));
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #open = new Map<string, number>();

  constructor(options: ServerMethodsOptions) {
    this.#options = options;
  }

  /** Answers a request. @throws RpcError */
  answer = async (request: Request): Promise<Json> => {
    const handler = Object.hasOwn(this.#methods, request.method) ? this.#methods[request.method] : undefined;
    if (handler) return handler(request);
    return { ...(await this.#named(request)) };
  };

  /** How many callers hear of an event of an agent. */
  publish(agent: string, event: string, data: JsonObject): number {
    let heard = 0;
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.agent !== null && subscription.agent !== agent) continue;
      if (subscription.events && !subscription.events.includes(event)) continue;
      subscription.caller.notify('agent/event', { subscription_id: subscription.id, agent, event, data });
      heard += 1;
    }
    return heard;
  }

  /** Takes every task back. */
  close(): void {
    this.#tasks.close();
  }

  readonly #methods: Readonly<Record<string, (request: Request) => Promise<Json>>> = {
    initialize: async () => ({
      protocolVersion: '1.0',
      capabilities: { streaming: true, subscriptions: true, tasks: true, events: [...EVENTS] },
      serverInfo: { name: 'lineup', version: this.#options.version },
    }),
    ping: async () => success({}),
    'agent/list': async ({ signal }) => {
      const agents = await this.#options.agents(false, signal);
      return success({ agents: agents.map((agent) => this.#announce(agent)) });
    },
    'agent/info': async ({ params, signal }) => {
      const { agent: name } = parse(infoParams, params);
      const agent = find(await this.#options.agents(true, signal), name);
      return success({ ...this.#announce(agent), description: agent.description, actions: agent.actions });
    },
    'agent/call': async (request) => {
      const { agent, action, args, stream = false, timeout_ms: timeout } = await this.#target(request);
      return { ...(await this.#call(request, agent, action, args, stream, timeout)) };
    },
    'agent/subscribe': async (request) => this.#subscribe(request),
    'agent/unsubscribe': async ({ params, caller }) => {
      const { subscription_id: id } = parse(unsubscribeParams, params);
      if (this.#subscriptions.get(id)?.caller !== caller) throw new RpcError(ACP_CODES.invalidParams, 'Invalid params: subscription_id: unknown');
      this.#subscriptions.delete(id);
      return success({});
    },
    'task/create': async (request) => {
      const { agent, action, args, timeout_ms: timeout } = await this.#target(request);
      return success(
        this.#tasks.create(agent.name, action, (signal, onChunk) =>
          this.#limited(agent, () => agent.call(action, { args, signal: ending(signal, timeout), onChunk })),
        ),
      );
    },
    'task/status': async ({ params }) => success(this.#tasks.status(parse(taskParams, params).task_id)),
    'task/result': async ({ params }) => success(this.#tasks.result(parse(taskParams, params).task_id)),
    'task/cancel': async ({ params }) => success(this.#tasks.cancel(parse(taskParams, params).task_id)),
    'message/send': async ({ params, signal }) => {
      const { agent, message, conversation_id: conversationId } = parse(sendParams, params);
      return success(await find(await this.#options.agents(false, signal), agent).receive(textOf(message), conversationId));
    },
    'message/broadcast': async ({ params, signal }) => {
      const { message } = parse(broadcastParams, params);
      const agents = await this.#options.agents(false, signal);
      // All of them share one conversation: said once, heard by every device.
      const [first] = agents;
      if (!first) throw new RpcError(ACP_CODES.agentNotFound, 'Agent not found');
      return success({ ...(await first.receive(textOf(message))), agents: agents.map(({ name }) => name) });
    },
  };

  /** `<agent>/<action>` with the arguments as params. */
  async #named(request: Request): Promise<ActionOutcome> {
    const [, name, action] = /^([^/]+)\/(.+)$/s.exec(request.method) ?? [];
    if (name === undefined || action === undefined) throw unknownMethod(request.method);
    const agent = (await this.#options.agents(false, request.signal)).find((each) => each.name === name);
    if (!agent) throw unknownMethod(request.method);
    const args = request.params ?? {};
    if (!isJsonObject(args)) throw new RpcError(ACP_CODES.invalidParams, 'Invalid params: expected an object');
    return this.#call(request, agent, action, args, false, undefined);
  }

  async #target({ params, signal }: Request): Promise<Omit<z.infer<typeof actionParams>, 'agent'> & { agent: ServedAgent }> {
    const read = parse(actionParams, params);
    const agents = await this.#options.agents(false, signal);
    if (read.agent !== undefined) return { ...read, agent: find(agents, read.agent) };
    const wanted = read.capability ?? read.action;
    const agent = agents.find(({ capabilities }) => capabilities.some((each) => wanted === each || wanted.startsWith(`${each}.`)));
    if (!agent) throw new RpcError(ACP_CODES.agentNotFound, `Agent not found: none can "${wanted.slice(0, 100)}"`);
    return { ...read, agent };
  }

  async #call(
    request: Request,
    agent: ServedAgent,
    action: string,
    args: JsonObject,
    isStream: boolean,
    timeout: number | undefined,
  ): Promise<ActionOutcome> {
    let index = 0;
    const onChunk = (data: JsonObject) => {
      if (isStream) request.caller.notify('agent/chunk', { request_id: request.id, index: index++, data });
    };
    const signal = ending(request.signal, timeout);
    const outcome = await this.#limited(agent, () => agent.call(action, { args, signal, onChunk }));
    // Whoever gave a deadline did not take the call back.
    const isLate = outcome.status === 'cancelled' && signal.aborted && !request.signal.aborted;
    return isLate ? { status: 'expired', error: { code: 'expired', message: `Nobody answered within ${timeout ?? 0} ms.` } } : outcome;
  }

  async #limited<T>({ name }: ServedAgent, act: () => Promise<T>): Promise<T> {
    const open = this.#open.get(name) ?? 0;
    if (open >= MAX_OPEN_CALLS) throw new RpcError(ACP_CODES.agentBusy, `Agent busy: ${name} has ${open} open calls`);
    this.#open.set(name, open + 1);
    try {
      return await act();
    } finally {
      this.#open.set(name, (this.#open.get(name) ?? 1) - 1);
    }
  }

  async #subscribe({ params, caller, signal }: Request): Promise<Json> {
    const { agent = null, events = null } = parse(subscribeParams, params);
    if (agent !== null) find(await this.#options.agents(false, signal), agent);
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) throw new RpcError(ACP_CODES.agentBusy, 'Agent busy: too many subscriptions');
    const subscription: Subscription = { id: randomId('sub'), agent, events, caller };
    this.#subscriptions.set(subscription.id, subscription);
    caller.signal.addEventListener('abort', () => this.#subscriptions.delete(subscription.id), { once: true });
    return success({ subscription_id: subscription.id, agent, events: events ?? [...EVENTS] });
  }

  #announce({ name, capabilities, status }: ServedAgent): JsonObject {
    return { agent: name, version: this.#options.version, capabilities, status, endpoints: this.#options.endpoints() };
  }
}

function success(data: JsonObject): JsonObject {
  return { status: 'success', data };
}

function unknownMethod(method: string): RpcError {
  return new RpcError(ACP_CODES.methodNotFound, `Method not found: ${method.slice(0, 100)}`);
}

function find(agents: readonly ServedAgent[], name: string): ServedAgent {
  const agent = agents.find((each) => each.name === name);
  if (!agent) throw new RpcError(ACP_CODES.agentNotFound, `Agent not found: ${name.slice(0, 100)}`, { agents: agents.map((each) => each.name) });
  return agent;
}

function parse<T extends z.ZodType>(schema: T, params: Json | undefined): z.infer<T> {
  const read = schema.safeParse(params ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = ['params', ...(issue?.path ?? [])].map(String).join('.');
  throw new RpcError(ACP_CODES.invalidParams, `Invalid params: ${where}: ${issue?.message ?? 'not as expected'}`);
}

function textOf(message: z.infer<typeof messageText>): string {
  if (typeof message === 'string') return message;
  return 'text' in message ? String(message.text) : message.content;
}

function ending(signal: AbortSignal, timeout: number | undefined): AbortSignal {
  return timeout === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
}
