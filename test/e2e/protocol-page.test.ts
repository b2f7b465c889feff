/** The commands that docs/protocol.md shows, run as they stand there. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OWNER_KEY, RelayProcess } from '../support/relay-process.ts';

const PAGE = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
/** The code that the page writes in place of the one that was answered. */
const CODE = 'K7Q29FXM';

const relay = new RelayProcess();
beforeAll(() => relay.start());
afterAll(() => relay.dispose());

test('each does what the page says behind it', async () => {
  const [, block = ''] = /```sh\n(curl[^`]+)```/.exec(PAGE) ?? [];
  const lines = block.trim().split('\n');
  expect(lines).toHaveLength(5);
  const env: Record<string, string> = { RELAY: relay.origin, OWNER_KEY, PATH: process.env.PATH ?? '' };
  let code = '';
  for (const line of lines) {
    const [, command = '', status, fields = ''] = /^(.+?) +# (\d+) ([^:;]+)/.exec(line) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command.replace(CODE, code)} -s -w '\n%{http_code}'`], { env });
    const [body = '', got] = stdout.split('\n');
    expect([got, body], command).toEqual([status, expect.stringMatching(/^\{/)]);
    const answer = JSON.parse(body) as Record<string, unknown>;
    expect(answer, command).toMatchObject(Object.fromEntries(fields.split(', ').map((name) => [name.trim(), expect.anything() as unknown])));
    if ('agent_id' in answer) Object.assign(env, { AGENT: answer.token, CV: answer.conversation_id });
    if ('device_id' in answer) env.DEVICE = String(answer.token);
    if ('code' in answer) code = String(answer.code);
  }
});
