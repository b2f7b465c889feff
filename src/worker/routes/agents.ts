/** `/v1/agents`: what the owner does, and what an agent hears of itself (§3). */
import { Hono } from 'hono';
import { hasIdShape } from '../../protocol/ids.ts';
import { enrolBody, type AgentInfo } from '../../protocol/http.ts';
import type { ListedAgent } from '../directory-api.ts';
import type { Env } from '../env.ts';
import { askDirectory, directoryOf } from '../stubs.ts';
import { presenceOf, summariesOf } from '../summaries.ts';
import { notFound, refused, type RelayRoutes } from './answers.ts';
import { requireOwner, requireToken } from './gates.ts';
import { readBody } from './request-body.ts';

export const agents = new Hono<RelayRoutes>()
  .get('/self', requireToken, async (c) => {
    const own = await askDirectory(c.env, (directory) => directory.ownAgent(c.var.token));
    if (!own.ok) return refused(c, own.error);
    const [info] = await withPresence(c.env, [own.value]);
    return c.json(info);
  })
  .use(requireOwner)
  .post('/', async (c) => {
    const body = await readBody(c.req.raw, enrolBody);
    if (!body.ok) return refused(c, body.error);
    const { name, agent = null, version = null } = body.value;
    return c.json(await directoryOf(c.env).enrol({ name, agent, version }), 201);
  })
  .get('/', async (c) => {
    const listed = await askDirectory(c.env, (directory) => directory.agents());
    return c.json({ agents: await withPresence(c.env, listed) });
  })
  .delete('/:id', async (c) => {
    const id = c.req.param('id');
    if (!hasIdShape('ag', id) || !(await directoryOf(c.env).revokeAgent(id))) return notFound(c, 'agent');
    return c.body(null, 204);
  })
  .post('/:id/token', async (c) => {
    const id = c.req.param('id');
    const issued = hasIdShape('ag', id) ? await directoryOf(c.env).replaceToken(id) : null;
    return issued ? c.json(issued) : notFound(c, 'agent');
  });

async function withPresence(env: Env, listed: readonly ListedAgent[]): Promise<AgentInfo[]> {
  const summaries = await summariesOf(
    env,
    listed.flatMap(({ conversation_ids }) => conversation_ids),
  );
  const now = Date.now();
  return listed.map(({ agent, conversation_ids }) => {
    const own = conversation_ids.flatMap((id) => summaries.get(id) ?? []);
    return { ...agent, ...presenceOf(agent.agent_id, own, now) };
  });
}
