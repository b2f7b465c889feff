/** Tasks of AstrBot's ACP: actions that are not waited for. They live as long as this process. */
import type { JsonObject } from '../../../src/protocol/json.ts';
import { randomId } from '../../core/random-id.ts';
import { ACP_CODES, RpcError } from './json-rpc.ts';
import type { ActionOutcome } from './served-agents.ts';

/** How far a task is. */
export type TaskStatus = 'running' | 'completed' | 'failed' | 'cancelled';

interface Task {
  id: string;
  agent: string;
  action: string;
  status: TaskStatus;
  createdAt: Date;
  endedAt?: Date;
  outcome?: ActionOutcome;
  error?: RpcError;
  progress?: JsonObject;
  controller: AbortController;
}

/** Ended tasks that are remembered. */
const MAX_ENDED = 1_000;
/** Tasks that run at the same time. */
const MAX_RUNNING = 256;

/** The tasks of one server, whoever made them. */
export class Tasks {
  readonly #tasks = new Map<string, Task>();
  readonly #changed: (task: JsonObject) => void;

  /** @param changed hears of each task that begins or ends */
  constructor(changed: (task: JsonObject) => void) {
    this.#changed = changed;
  }

  /** Begins a task. @throws RpcError agentBusy */
  create(agent: string, action: string, perform: (signal: AbortSignal, onChunk: (chunk: JsonObject) => void) => Promise<ActionOutcome>): JsonObject {
    if ([...this.#tasks.values()].filter(({ status }) => status === 'running').length >= MAX_RUNNING) {
      throw new RpcError(ACP_CODES.agentBusy, 'Agent busy: too many tasks run');
    }
    const task: Task = { id: randomId('task'), agent, action, status: 'running', createdAt: new Date(), controller: new AbortController() };
    this.#tasks.set(task.id, task);
    perform(task.controller.signal, (chunk) => (task.progress = chunk)).then(
      (outcome) => this.#end(task, outcome.status === 'success' ? 'completed' : 'failed', { outcome }),
      (error: unknown) =>
        this.#end(task, 'failed', { error: error instanceof RpcError ? error : new RpcError(ACP_CODES.internalError, 'Internal error') }),
    );
    this.#changed(describe(task));
    return describe(task);
  }

  /** @throws RpcError taskNotFound */
  status(id: string): JsonObject {
    return describe(this.#find(id));
  }

  /** The status, and once it has ended how. @throws RpcError taskNotFound, and what the action threw */
  result(id: string): JsonObject {
    const task = this.#find(id);
    if (task.error) throw task.error;
    return { ...describe(task), ...(task.outcome && { result: { ...task.outcome } }) };
  }

  /** Takes a task back; one that has ended stays as it is. @throws RpcError taskNotFound */
  cancel(id: string): JsonObject {
    const task = this.#find(id);
    if (task.status === 'running') {
      this.#end(task, 'cancelled', {});
      task.controller.abort();
    }
    return describe(task);
  }

  /** Takes every task back. */
  close(): void {
    for (const { controller } of this.#tasks.values()) controller.abort();
  }

  #find(id: string): Task {
    const task = this.#tasks.get(id);
    if (!task) throw new RpcError(ACP_CODES.taskNotFound, 'Task not found');
    return task;
  }

  #end(task: Task, status: TaskStatus, how: Pick<Task, 'outcome' | 'error'>): void {
    if (task.status !== 'running') return;
    Object.assign(task, how, { status, endedAt: new Date() });
    const ended = [...this.#tasks.values()].filter((each) => each.status !== 'running');
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#tasks.delete(id);
    this.#changed(describe(task));
  }
}

function describe({ id, agent, action, status, createdAt, endedAt, progress }: Task): JsonObject {
  return {
    task_id: id,
    agent,
    action,
    status,
    created_at: createdAt.toISOString(),
    ...(endedAt && { ended_at: endedAt.toISOString() }),
    ...(progress && status === 'running' && { progress }),
  };
}
