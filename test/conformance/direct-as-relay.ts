/** Direct mode behind the manner of `npm run relay` (§12), so that the suites that start a relay run against it too (relay-process.ts). */
import { parseArgs } from 'node:util';
import { ownAgent } from '../../client/agent/direct/direct-home.ts';
import { DirectRelay } from '../../client/agent/direct/direct-relay.ts';
import { DirectServer } from '../../client/agent/direct/direct-server.ts';
import { FileLinks } from '../../client/agent/direct/file-links.ts';
import { webApp } from '../../client/agent/direct/web-app.ts';

const TOKEN = 'pre-shared-token-of-tests';
const HOST = '127.0.0.1';

const { port = '0', persist = '' } = parseArgs({ options: { port: { type: 'string' }, persist: { type: 'string' } } }).values;
const variables = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (name.startsWith('LINEUP_') && value ? [[name, value]] : [])),
);
const report = (error: unknown): void => console.error(error);
const relay = new DirectRelay({ folder: persist, ownerKey: variables.LINEUP_OWNER_KEY ?? '', variables, assets: webApp(), report });
const { agentId } = await ownAgent(relay, { folder: persist, name: 'Agent', relayOrigin: `http://${HOST}` });
const server = await DirectServer.start({
  relay,
  host: HOST,
  port: Number(port),
  token: TOKEN,
  agentId,
  links: new FileLinks(TOKEN),
  refused: report,
});
process.once('SIGTERM', () => void server.close());
process.stdout.write(`ready ${server.origin}\n`);
