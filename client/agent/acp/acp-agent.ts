/** An agent that speaks the Agent Client Protocol: its process, its sessions, and its return after a crash. */
import {
  client,
  CreateElicitationRequest,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentCapabilities,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationResponse,
  type ElicitationSchema,
  type McpServer,
  type NewSessionResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { retryDelay } from '../../core/backoff.ts';
import { Deferred } from '../deferred.ts';
import { AgentProcess, type ProcessEnd } from './agent-process.ts';
import { shorten } from './labels.ts';
import { until } from './until.ts';

/** What happens in one session of the agent. */
export interface SessionListener {
  update: (update: SessionUpdate) => void;
  permission: (request: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>;
  elicitation: (message: string, schema: ElicitationSchema, signal: AbortSignal) => Promise<CreateElicitationResponse>;
}

/** A session of the process that runs now. */
export interface Session {
  sessionId: string;
  /** The session that was asked for is not known any more: this is a new one. */
  isLost: boolean;
  /** Gives the agent a prompt. When the signal of the session is aborted it is told to stop, and may still say how it ended. */
  prompt: (blocks: ContentBlock[]) => Promise<StopReason>;
}

/** How an agent is run. */
export interface AcpAgentOptions {
  command: readonly [string, ...string[]];
  /** The folder that its sessions work in. */
  cwd: string;
  /** Servers of the Model Context Protocol that its sessions get, if the agent takes servers over HTTP. */
  mcpServers?: readonly McpServer[];
  version: string;
  on: {
    /** It is ready for prompts: after each start. */
    ready: (title: string | null) => void;
    /** It ended without being asked to, and is started again. */
    crashed: (end: ProcessEnd) => void;
    /** It will not be started again. */
    gaveUp: (error: AgentUnusable) => void;
    /** A line of its stdout that is no message. */
    noise: (line: string) => void;
  };
}

/** The agent cannot be used on this machine as it is: one sentence that says why. */
export class AgentUnusable extends Error {
  override readonly name = 'AgentUnusable';
}

/** The agent ended while something was asked of it. */
export class AgentGone extends Error {
  override readonly name = 'AgentGone';

  constructor(end: ProcessEnd) {
    super(`The agent ended (${end}).`);
  }
}

/** A program that is fetched at its first start takes its time; in ms. */
const READY_DEADLINE_MS = 300_000;
/** How often in a row a program may end before it was ready. */
const MAX_FALSE_STARTS = 5;
/** A run of this length, in ms, makes earlier crashes forgotten. */
const STEADY_MS = 60_000;

interface Running {
  process: AgentProcess;
  connection: ClientConnection;
  capabilities: AgentCapabilities;
  /** Sessions that this process knows. */
  sessions: Set<string>;
}

/** The agent. Its process is replaced when it ends. */
export class AcpAgent {
  readonly #options: AcpAgentOptions;
  readonly #listeners = new Map<string, SessionListener>();
  readonly #closing = new AbortController();
  #running = new Deferred<Running>();
  #process: AgentProcess | null = null;
  #wasReady = false;
  #loop: Promise<void> | null = null;

  constructor(options: AcpAgentOptions) {
    this.#options = options;
    this.#running.promise.catch(() => undefined);
  }

  /** Starts the process, and again whenever it ends, until {@link close}. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends the process. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#process?.end();
    await this.#loop;
  }

  /** What the agent said that it can do, once it runs. */
  async capabilities(signal: AbortSignal): Promise<AgentCapabilities> {
    return (await this.#ready(signal)).capabilities;
  }

  /**
   * Opens a session: the known one where the agent can take it up again, otherwise a new one.
   * @throws AgentGone, RequestError, and the signal's reason
   */
  async session(known: string | undefined, listener: SessionListener, signal: AbortSignal): Promise<Session> {
    const running = await this.#ready(signal);
    const isKnown = known !== undefined && (await this.#takeUp(running, known, signal));
    const sessionId = isKnown ? known : await this.#newSession(running, signal);
    this.#listeners.set(sessionId, listener);
    return { sessionId, isLost: known !== undefined && !isKnown, prompt: (blocks) => this.#prompt(running, sessionId, blocks, signal) };
  }

  async #newSession(running: Running, signal: AbortSignal): Promise<string> {
    const request = running.connection.agent.request<NewSessionResponse>(methods.agent.session.new, this.#place(running));
    const { sessionId } = await until(signal, orGone(running, request));
    running.sessions.add(sessionId);
    return sessionId;
  }

  async #prompt(running: Running, sessionId: string, prompt: ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const { agent } = running.connection;
    const cancel = () => {
      // An agent that is gone needs not be told.
      agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return (await orGone(running, agent.request(methods.agent.session.prompt, { sessionId, prompt }))).stopReason;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  #place({ capabilities }: Running): { cwd: string; mcpServers: McpServer[] } {
    const { cwd, mcpServers = [] } = this.#options;
    return { cwd, mcpServers: capabilities.mcpCapabilities?.http === true ? [...mcpServers] : [] };
  }

  async #takeUp(running: Running, sessionId: string, signal: AbortSignal): Promise<boolean> {
    if (running.sessions.has(sessionId)) return true;
    const { loadSession, sessionCapabilities } = running.capabilities;
    const method = sessionCapabilities?.resume ? methods.agent.session.resume : loadSession === true ? methods.agent.session.load : null;
    if (method === null) return false;
    // What the agent replays of the past is on the phone already.
    this.#listeners.delete(sessionId);
    try {
      await until(signal, orGone(running, running.connection.agent.request(method, { sessionId, ...this.#place(running) })));
    } catch (error) {
      // Only the agent itself can say that it does not know the session.
      if (error instanceof RequestError) return false;
      throw error;
    }
    running.sessions.add(sessionId);
    return true;
  }

  #ready(signal: AbortSignal): Promise<Running> {
    return until(signal, this.#running.promise);
  }

  async #run(): Promise<void> {
    for (let failures = 1; !this.#closing.signal.aborted; failures++) {
      const startedAt = Date.now();
      try {
        const end = await this.#live();
        if (this.#closing.signal.aborted) return;
        if (!this.#wasReady && failures >= MAX_FALSE_STARTS)
          throw new AgentUnusable(`the agent ended before it was ready, ${failures} times (${end})`);
        this.#options.on.crashed(end);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        return this.#giveUp(error instanceof Error ? error : new Error(String(error)));
      }
      if (Date.now() - startedAt > STEADY_MS) failures = 1;
      await delay(retryDelay(failures, 0.5 + Math.random() / 2), undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  #giveUp(error: Error): void {
    const unusable = error instanceof AgentUnusable ? error : new AgentUnusable(error.message);
    this.#running.reject(unusable);
    this.#options.on.gaveUp(unusable);
  }

  /** One life of the process. */
  async #live(): Promise<ProcessEnd> {
    const { command, cwd, on } = this.#options;
    const process = await AgentProcess.start(command, cwd, on.noise);
    this.#process = process;
    if (this.#closing.signal.aborted) return this.#endOf(process);
    const connection = this.#connect(process);
    try {
      const initialized = await Promise.race([this.#initialize(connection), process.ended]);
      if (typeof initialized !== 'string') {
        this.#wasReady = true;
        this.#running.resolve({ process, connection, capabilities: initialized.agentCapabilities ?? {}, sessions: new Set() });
        on.ready(initialized.agentInfo?.title ?? initialized.agentInfo?.name ?? null);
        // An agent that closes its stdout and stays is of no more use than one that is gone.
        await connection.closed;
      }
      return await (typeof initialized === 'string' ? initialized : this.#endOf(process));
    } finally {
      connection.close();
      await process.end();
      this.#process = null;
      this.#listeners.clear();
      if (this.#wasReady) this.#renew();
    }
  }

  async #endOf(process: AgentProcess): Promise<ProcessEnd> {
    await process.end();
    return process.ended;
  }

  /** Whoever comes now waits for the next life. */
  #renew(): void {
    this.#running = new Deferred<Running>();
    this.#running.promise.catch(() => undefined);
  }

  async #initialize(connection: ClientConnection) {
    const request = connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'lineup', title: 'LineUp', version: this.#options.version },
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false, elicitation: { form: {} } },
    });
    // A process that ends first says so itself.
    const answer = await Promise.race([
      request.catch((error: unknown) => (connection.signal.aborted ? new Promise<never>(() => undefined) : Promise.reject(error))),
      delay(READY_DEADLINE_MS, null, { signal: connection.signal, ref: false }).catch(() => new Promise<never>(() => undefined)),
    ]);
    if (answer === null) throw new AgentUnusable('the agent started, but did not answer: does this command speak the Agent Client Protocol?');
    if (answer.protocolVersion !== PROTOCOL_VERSION) {
      throw new AgentUnusable(
        `the agent speaks version ${answer.protocolVersion} of the Agent Client Protocol, and this is version ${PROTOCOL_VERSION}`,
      );
    }
    return answer;
  }

  #connect(process: AgentProcess): ClientConnection {
    return client({ name: 'lineup' })
      .onNotification(methods.client.session.update, ({ params }) => this.#listeners.get(params.sessionId)?.update(params.update))
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
        const listener = this.#listeners.get(params.sessionId);
        return listener ? listener.permission(params, signal) : { outcome: { outcome: 'cancelled' } };
      })
      .onRequest(methods.client.elicitation.create, ({ params, signal }) => {
        const sessionId = 'sessionId' in params && typeof params.sessionId === 'string' ? params.sessionId : undefined;
        // What belongs to a request alone, such as signing in, is asked where the agent was used last.
        const listener = sessionId === undefined ? [...this.#listeners.values()].at(-1) : this.#listeners.get(sessionId);
        if (!listener || !CreateElicitationRequest.isForm(params)) return { action: 'cancel' };
        return listener.elicitation(params.message, params.requestedSchema, signal);
      })
      .connect(process.stream);
  }
}

/** The same promise; the end of the process says more than the connection's. */
async function orGone<T>({ connection, process }: Running, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (connection.signal.aborted) throw new AgentGone(await process.ended);
    throw error;
  }
}

/** Why the agent could not do what it was asked, as a sentence for the phone. */
export function whyNot(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const data = error instanceof Error && 'data' in error ? (error.data as { details?: unknown; message?: unknown } | null | undefined) : undefined;
  const more = [data?.details, data?.message].find((each) => typeof each === 'string');
  return shorten(typeof more === 'string' && more !== message ? `${message}: ${more}` : message, 500);
}
