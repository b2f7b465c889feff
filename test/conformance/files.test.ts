/** §3, files: bytes in and out, ranges, limits, strangers. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useRelay, type Person } from './people.ts';

const relay = useRelay({ LINEUP_FILE_QUOTA_BYTES: String(20 * 1_048_576) });
const MIB = 1_048_576;

const upload = (as: Person, raw: Uint8Array<ArrayBuffer> | string, type?: string, conversation = as.conversation) =>
  relay.call('POST', `/v1/conversations/${conversation}/files`, { as, raw, ...(type !== undefined && { headers: { 'content-type': type } }) });
const bytesOf = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(size));

describe('§3 files', () => {
  it.each([0, 1, 1_000, MIB - 1, MIB, MIB + 1, 3 * MIB + 7])('of %i bytes come out as they went in', async (size) => {
    const { agent, devices } = await relay.room(1);
    const bytes = bytesOf(size);
    const { status, json } = await upload(devices[0]!, bytes, 'application/x-odd; charset=utf-8');
    expect(status).toBe(201);
    expect(json).toEqual({
      file_id: expect.stringMatching(/^fl_[a-z0-9]{16,}$/),
      url: `/v1/conversations/${agent.conversation}/files/${String(json.file_id)}`,
      size,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    for (const as of [agent, devices[0]!]) {
      const down = await relay.call('GET', String(json.url), { as });
      expect([down.status, down.headers.get('content-type'), down.headers.get('accept-ranges')]).toEqual([
        200,
        'application/x-odd; charset=utf-8',
        'bytes',
      ]);
      expect(down.bytes.equals(Buffer.from(bytes))).toBe(true);
      expect(down.headers.get('content-length')).toBe(String(size));
    }
  });

  it('with range support', async () => {
    const agent = await relay.enrol();
    const bytes = bytesOf(2 * MIB + 100);
    const { json } = await upload(agent, bytes, 'image/png');
    const size = bytes.length;
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=0-', 0, size],
      ['bytes=5-9', 5, 10],
      [`bytes=${MIB - 2}-${MIB + 1}`, MIB - 2, MIB + 2],
      [`bytes=${2 * MIB - 1}-${2 * MIB}`, 2 * MIB - 1, 2 * MIB + 1],
      [`bytes=${size - 1}-`, size - 1, size],
      [`bytes=${size - 1}-${size + 1_000}`, size - 1, size],
      ['bytes=-1', size - 1, size],
      ['bytes=-100', size - 100, size],
      [`bytes=-${size * 2}`, 0, size],
    ] as const) {
      const part = await relay.call('GET', String(json.url), { as: agent, headers: { range } });
      expect([part.status, part.headers.get('content-range'), part.headers.get('content-type')], range).toEqual([
        206,
        `bytes ${from}-${to - 1}/${size}`,
        'image/png',
      ]);
      expect(part.bytes.equals(Buffer.from(bytes.subarray(from, to))), range).toBe(true);
    }
    for (const range of [`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, 'bytes=-0']) {
      const none = await relay.call('GET', String(json.url), { as: agent, headers: { range } });
      expect([none.status, none.headers.get('content-range'), none.code], range).toEqual([416, `bytes */${size}`, 'invalid_payload']);
    }
    // What is no single byte range is answered whole.
    for (const range of ['bytes=', 'bytes=a-b', 'lines=1-2', 'bytes=9-5', 'bytes=0-1,5-6']) {
      const whole = await relay.call('GET', String(json.url), { as: agent, headers: { range } });
      expect([whole.status, whole.bytes.length], range).toEqual([200, size]);
    }
  });

  it('take 8 MiB and not a byte more', async () => {
    const agent = await relay.enrol();
    expect((await upload(agent, bytesOf(8 * MIB), 'image/png')).status).toBe(201);
    const more = await upload(agent, bytesOf(8 * MIB + 1), 'image/png');
    expect([more.status, more.code]).toEqual([413, 'frame_too_large']);
  });

  it('that are refused are answered, however much the client still has to send', async () => {
    const [agent, other] = [await relay.enrol(), await relay.enrol()];
    for (let i = 0; i < 5; i++) {
      const refusals = await Promise.all([
        upload(agent, bytesOf(8 * MIB + 1)),
        upload(agent, bytesOf(20 * MIB)),
        upload(other, bytesOf(8 * MIB), 'image/png', agent.conversation),
        upload({ ...agent, token: 'nonsense' }, bytesOf(8 * MIB)),
        relay.call('POST', `/v1/conversations/${agent.conversation}/messages`, { as: agent, raw: bytesOf(3 * MIB) }),
        relay.call('PUT', '/v1/nothing', { raw: bytesOf(3 * MIB) }),
      ]);
      expect(refusals.map(({ status }) => status)).toEqual([413, 413, 404, 401, 413, 404]);
    }
  });

  it('have a quota for each conversation: storage_full, and what is there stays', async () => {
    const { agent } = await relay.room(0);
    const first = await upload(agent, bytesOf(8 * MIB), 'image/png');
    await upload(agent, bytesOf(8 * MIB), 'image/png');
    const full = await upload(agent, bytesOf(8 * MIB), 'image/png');
    expect([full.status, full.code]).toEqual([503, 'storage_full']);
    expect((await upload(agent, bytesOf(3 * MIB), 'image/png')).status).toBe(201);
    expect((await relay.call('GET', String(first.json.url), { as: agent })).status).toBe(200);
    const elsewhere = await relay.conversation(agent);
    expect((await upload(agent, bytesOf(8 * MIB), 'image/png', elsewhere)).status).toBe(201);
  });

  it('without a type are octets', async () => {
    const agent = await relay.enrol();
    const { json } = await upload(agent, bytesOf(3));
    const down = await relay.call('GET', String(json.url), { as: agent });
    expect(down.headers.get('content-type')).toBe('application/octet-stream');
  });

  it('are never a document of the relay’s own origin', async () => {
    const agent = await relay.enrol();
    const { json } = await upload(agent, '<script>alert(1)</script>', 'text/html');
    const { headers } = await relay.call('GET', String(json.url), { as: agent });
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-disposition')).toBe('attachment');
  });

  it('are 404 for strangers, in other conversations, and when there is none; 401 without a token', async () => {
    const { agent, devices } = await relay.room(1);
    const other = await relay.enrol();
    const second = await relay.conversation(agent);
    const { json } = await upload(agent, 'x', 'text/plain');
    const id = String(json.file_id);
    for (const [as, path] of [
      [other, String(json.url)],
      [await relay.pair(other), String(json.url)],
      [other, `/v1/conversations/${other.conversation}/files/${id}`],
      [agent, `/v1/conversations/${second}/files/${id}`],
      [devices[0]!, `/v1/conversations/${agent.conversation}/files/fl_${'a'.repeat(24)}`],
      [devices[0]!, `/v1/conversations/${agent.conversation}/files/${id.toUpperCase()}`],
      [devices[0]!, `/v1/conversations/${agent.conversation}/files/x`],
    ] as const) {
      const answer = await relay.call('GET', path, { as });
      expect([answer.status, answer.code], path).toEqual([404, 'not_found']);
    }
    expect((await upload(other, 'x', 'text/plain', agent.conversation)).status).toBe(404);
    expect((await relay.call('GET', String(json.url))).status).toBe(401);
    expect((await relay.call('GET', `${String(json.url)}?token=${agent.token}`)).status).toBe(401);
  });

  it('outlive a killed relay', async () => {
    const agent = await relay.enrol();
    const bytes = bytesOf(MIB + 5);
    const { json } = await upload(agent, bytes, 'image/png');
    await relay.crash();
    expect((await relay.call('GET', String(json.url), { as: agent })).bytes.equals(Buffer.from(bytes))).toBe(true);
  });
});
