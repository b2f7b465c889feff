/** A conversation of the relay under test: an agent, its devices, and their sockets. */
import { Link } from './link.ts';

const OWNER_KEY = 'bench-owner-key';
/** What the relay under test is started with. */
export const RELAY_VARIABLES = { LINEUP_OWNER_KEY: OWNER_KEY, LINEUP_RATE_PER_S: '0' };

async function call<T>(origin: string, path: string, token: string | undefined, body: object): Promise<T> {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Tokens of one agent and its devices. */
export interface RelayRoom {
  /** The conversation's socket address. */
  url: string;
  agentToken: string;
  deviceTokens: string[];
}

/** Enrols an agent with so many devices. */
export async function makeRoom(origin: string, devices: number): Promise<RelayRoom> {
  const agent = await call<{ token: string; conversation_id: string }>(origin, '/v1/agents', OWNER_KEY, { name: 'Bench' });
  const deviceTokens: string[] = [];
  for (let i = 0; i < devices; i++) {
    const { code } = await call<{ code: string }>(origin, '/v1/pairings', agent.token, {});
    const paired = await call<{ token: string }>(origin, '/v1/pairings/redeem', undefined, {
      code,
      device: { name: `Device ${i}`, platform: 'bench' },
    });
    deviceTokens.push(paired.token);
  }
  const url = `${origin.replace('http', 'ws')}/v1/conversations/${agent.conversation_id}/socket`;
  return { url, agentToken: agent.token, deviceTokens };
}

let sessions = 0;

/** Opens a socket and says hello. Resolves when it is synced, with how long the replay took in ms. */
export async function join(url: string, token: string, resume?: { epoch: string; seq: number }): Promise<{ link: Link; epoch: string; ms: number }> {
  const link = await Link.open(url, token);
  let epoch = '';
  const synced = link.count(
    1,
    (text) => text.includes('"type":"system.synced"'),
    (text) => {
      if (text.includes('"type":"system.welcome"')) epoch = (JSON.parse(text) as { payload: { epoch: string } }).payload.epoch;
    },
  );
  const from = performance.now();
  link.send(
    JSON.stringify({ v: 1, id: 'hello', type: 'system.hello', payload: { name: 'bench', session: `s${sessions++}`, ...(resume && { resume }) } }),
  );
  await synced;
  return { link, epoch, ms: performance.now() - from };
}
