import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ChatApi } from './chat-api.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** An AstrBot that answers everything with this. */
async function astrBot(type: string, body: string): Promise<ChatApi> {
  server = createServer((_request, response) => response.setHeader('content-type', type).end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return new ChatApi({ url: `http://127.0.0.1:${port}`, key: 'abk_test', username: 'me' });
}

const { signal } = new AbortController();

describe('an attachment of an answer', () => {
  it.each([
    ['a picture', 'image/png', 'PNG'],
    ['a file of JSON', 'application/json', '{"status":"sent","message":"from a colleague"}'],
    ['a file of JSON that is a list', 'application/json', '[{"status":"error"}]'],
    ['a file that is called JSON and is none', 'application/json', '{"half'],
  ])('is what AstrBot sends: %s', async (_, type, body) => {
    const file = await (await astrBot(type, body)).fetch('at_1', signal);
    expect([file.type, await file.text()]).toEqual([type, body]);
  });

  it('that AstrBot refuses is an error in its words', async () => {
    const api = await astrBot('application/json', '{"status":"error","message":"Attachment not found","data":null}');
    await expect(api.fetch('at_1', signal)).rejects.toThrow('AstrBot refused the message: Attachment not found');
  });
});
