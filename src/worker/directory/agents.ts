/** The enrolled agents. */
import type { Sql } from '../../conversation/ports.ts';

/** An agent as the directory keeps it. */
export type AgentRecord = {
  agent_id: string;
  name: string;
  /** What it runs on, such as "Hermes". */
  agent: string | null;
  version: string | null;
  /** Ms since 1970. */
  enrolled_at: number;
  /** Tokens of an older generation no longer work (§3, `POST /v1/agents/:id/token`). */
  generation: number;
};

const COLUMNS = 'agent_id, name, agent, version, enrolled_at, generation';

/** The table `agents`. */
export class Agents {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add(agent: Omit<AgentRecord, 'generation'>): void {
    this.#sql.exec(
      'INSERT INTO agents (agent_id, name, agent, version, enrolled_at) VALUES (?, ?, ?, ?, ?)',
      agent.agent_id,
      agent.name,
      agent.agent,
      agent.version,
      agent.enrolled_at,
    );
  }

  find(agentId: string): AgentRecord | undefined {
    return this.#sql.exec<AgentRecord>(`SELECT ${COLUMNS} FROM agents WHERE agent_id = ?`, agentId)[0];
  }

  /** Oldest first. */
  list(): AgentRecord[] {
    return this.#sql.exec<AgentRecord>(`SELECT ${COLUMNS} FROM agents ORDER BY enrolled_at, rowid`);
  }

  remove(agentId: string): void {
    this.#sql.exec('DELETE FROM agents WHERE agent_id = ?', agentId);
  }

  /** Ends all tokens that the agent has. */
  raiseGeneration(agentId: string): void {
    this.#sql.exec('UPDATE agents SET generation = generation + 1 WHERE agent_id = ?', agentId);
  }
}
