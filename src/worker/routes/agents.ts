/** `/v1/agents`: what the owner does (§3). */
import { Hono } from 'hono';
import { hasIdShape } from '../../protocol/ids.ts';
import { enrolBody, type AgentInfo } from '../../protocol/http.ts';
import { askDirectory, directoryOf } from '../stubs.ts';
import { presenceOf, summariesOf } from '../summaries.ts';
import { notFound, refused, type RelayRoutes } from './answers.ts';
import { requireOwner } from './gates.ts';
import { readBody } from './request-body.ts';

export const agents = new Hono<RelayRoutes>()
  .use(requireOwner)
  .post('/', async (c) => {
    const body = await readBody(c.req.raw, enrolBody);
    if (!body.ok) return refused(c, body.error);
    const { name, agent = null, version = null } = body.value;
    return c.json(await directoryOf(c.env).enrol({ name, agent, version }), 201);
  })
  .get('/', async (c) => {
    const listed = await askDirectory(c.env, (directory) => directory.agents());
    const summaries = await summariesOf(
      c.env,
      listed.flatMap(({ conversation_ids }) => conversation_ids),
    );
    const now = Date.now();
    const infos = listed.map(({ agent, conversation_ids }): AgentInfo => {
      const own = conversation_ids.flatMap((id) => summaries.get(id) ?? []);
      return { ...agent, ...presenceOf(agent.agent_id, own, now) };
    });
    return c.json({ agents: infos });
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
