/** §3: what every HTTP call has in common, and who the owner is. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { DirectoryObject } from '../../src/worker/directory-object.ts';
import worker from '../../src/worker/index.ts';
import { call, enrol, expectRefused, ORIGIN, OWNER_KEY, pair, read } from './getting-in-client.ts';

/** A call to a relay with other variables. */
async function callWith(variables: Record<string, string | undefined>, method: string, path: string, headers: Record<string, string> = {}) {
  return await read(await worker.fetch(new Request(ORIGIN + path, { method, headers }), { ...env, ...variables } as never, createExecutionContext()));
}

describe('the relay itself', () => {
  it('tells who it is, and which key verifies its tokens', async () => {
    const { status, json } = await call('GET', '/healthz');
    expect([status, json]).toEqual([
      200,
      {
        ok: true,
        name: 'lineup-relay',
        relay: expect.stringMatching(/^rl_[a-z0-9]{16,}$/),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        protocol: 1,
        configured: true,
      },
    ]);
    const jwks = await call('GET', '/.well-known/jwks.json');
    expect(jwks.json).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: expect.any(String), x: expect.any(String) }],
    });
    expect((await call('GET', '/healthz')).json.relay).toBe(json.relay);
    expect(Date.parse((await call('GET', '/healthz')).headers.get('date') ?? '')).not.toBeNaN();
  });

  it('answers 503 everywhere but at its health while a variable of its owner is wrong', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/v1/conversations'],
      ['POST', '/v1/agents'],
    ] as const) {
      const answer = await callWith({ LINEUP_RATE_PER_S: 'fast' }, method, path);
      expectRefused(answer, 503, 'not_configured');
      expect(answer.json.error.message).toContain('LINEUP_RATE_PER_S');
    }
    expect((await callWith({ LINEUP_RATE_PER_S: 'fast' }, 'GET', '/healthz')).status).toBe(200);
  });
});

describe('the owner key', () => {
  it('enrols, lists and revokes agents, and nothing else does', async () => {
    const agent = await enrol();
    const device = await pair(agent);
    const wrong = [undefined, '', 'wrong', `${OWNER_KEY}x`, OWNER_KEY.slice(0, -1), OWNER_KEY.toUpperCase(), agent.token, device.token];
    for (const bearer of wrong) {
      expectRefused(await call('POST', '/v1/agents', { bearer, body: { name: 'x' } }), 401, 'unauthorized');
      expectRefused(await call('GET', '/v1/agents', { bearer }), 401, 'unauthorized');
      expectRefused(await call('DELETE', `/v1/agents/${agent.id}`, { bearer }), 401, 'unauthorized');
      expectRefused(await call('POST', `/v1/agents/${agent.id}/token`, { bearer }), 401, 'unauthorized');
    }
    expect((await call('GET', '/v1/conversations', { bearer: agent.token })).status).toBe(200);
    expectRefused(await call('GET', '/v1/conversations', { bearer: OWNER_KEY }), 401, 'unauthorized');
  });

  it('is not needed by an agent that asks for itself, nor by a device that asks for its agent', async () => {
    const agent = await enrol('Hermes');
    await enrol('Another');
    const device = await pair(agent);
    for (const bearer of [agent.token, device.token]) {
      const { status, json } = await call('GET', '/v1/agents/self', { bearer });
      expect([status, json]).toEqual([200, expect.objectContaining({ agent_id: agent.id, name: 'Hermes', online: false, last_seen: null })]);
    }
    for (const bearer of [undefined, 'wrong', OWNER_KEY]) expectRefused(await call('GET', '/v1/agents/self', { bearer }), 401, 'unauthorized');
    await call('POST', `/v1/agents/${agent.id}/token`, { bearer: OWNER_KEY });
    expectRefused(await call('GET', '/v1/agents/self', { bearer: agent.token }), 401, 'unauthorized');
  });

  it('is asked for in words by a relay that has none', async () => {
    for (const LINEUP_OWNER_KEY of [undefined, '']) {
      for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer undefined' }] as Record<string, string>[]) {
        const answer = await callWith({ LINEUP_OWNER_KEY }, 'POST', '/v1/agents', headers);
        expectRefused(answer, 503, 'not_configured');
        expect(answer.json.error.message).toContain('wrangler secret put LINEUP_OWNER_KEY');
      }
    }
  });

  it('enrols an agent under its trimmed name for 90 days', async () => {
    const { status, json } = await call('POST', '/v1/agents', { bearer: OWNER_KEY, body: { name: '  Hermes ', agent: 'Hermes', extra: [1] } });
    expect([status, Object.keys(json).toSorted()]).toEqual([201, ['agent_id', 'conversation_id', 'expires_at', 'token']]);
    expect((Date.parse(json.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(90, 1);
    const { agents } = (await call('GET', '/v1/agents', { bearer: OWNER_KEY })).json;
    expect(agents).toContainEqual({
      agent_id: json.agent_id,
      name: 'Hermes',
      agent: 'Hermes',
      version: null,
      enrolled_at: expect.stringMatching(/Z$/),
      last_seen: null,
      online: false,
    });
  });
});

describe('a body', () => {
  const post = (raw: BodyInit, headers: Record<string, string> = {}) => call('POST', '/v1/agents', { bearer: OWNER_KEY, raw, headers });
  const bytes = (text: string) => new TextEncoder().encode(text);

  it('is refused unless it is JSON, whatever else is wrong with it', async () => {
    expectRefused(await post('{"name":"x"}', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type');
    expectRefused(await post('name=x', { 'content-type': 'application/x-www-form-urlencoded' }), 415, 'unsupported_media_type');
    const json = { 'content-type': 'application/json; charset=utf-8' };
    for (const raw of ['{', 'x', '{"name":"x"}}', "{'name':1}"]) expectRefused(await post(raw, json), 400, 'invalid_json');
    expectRefused(await post(new Uint8Array([0x22, 0xff, 0x22]), json), 400, 'invalid_json');
    expect((await post(bytes('{"name":"no type named"}'))).status).toBe(201);
  });

  it('is refused with the place of what is wrong', async () => {
    const nested = '['.repeat(100_000);
    for (const [raw, place] of [
      ['{}', 'body.name'],
      ['{"name":5}', 'body.name'],
      ['{"name":"  "}', 'body.name'],
      [`{"name":"${'x'.repeat(129)}"}`, 'body.name'],
      ['{"name":"x","agent":{}}', 'body.agent'],
      ['[]', 'body'],
      ['null', 'body'],
      ['', 'body.name'],
      ['{"name":"\\ud800"}', 'body.name'],
      ['{"name":"x","__proto__":{}}', 'body'],
      [`{"name":"x","deep":${'['.repeat(40)}${']'.repeat(40)}}`, 'body.deep'],
    ] as const) {
      const answer = await post(bytes(raw));
      expectRefused(answer, 400, 'invalid_payload');
      expect(answer.json.error.message, raw).toContain(place);
    }
    expectRefused(await post(bytes(nested)), 413, 'frame_too_large');
    expectRefused(await post(bytes(nested.slice(0, 60_000))), 400, 'invalid_json');
  });

  it('is read to 64 KiB and not a byte further, with or without a length', async () => {
    const padded = (size: number) => `{"name":"x"${' '.repeat(size - 12)}}`;
    const stream = (text: string) =>
      new ReadableStream({
        start(controller) {
          for (let i = 0; i < text.length; i += 10_000) controller.enqueue(bytes(text.slice(i, i + 10_000)));
          controller.close();
        },
      });
    expect((await post(bytes(padded(65_536)))).status).toBe(201);
    expect((await post(stream(padded(65_536)))).status).toBe(201);
    expectRefused(await post(bytes(padded(65_537))), 413, 'frame_too_large');
    expectRefused(await post(stream(padded(65_537))), 413, 'frame_too_large');
  });
});

describe('every answer', () => {
  it('lets any origin in, errors and preflights too, without credentials', async () => {
    const agent = await enrol();
    const headers = { origin: 'https://app.example' };
    for (const path of ['/v1/pairings/redeem', '/v1/nothing', `/v1/conversations/${agent.conversation}`, '/']) {
      const answer = await call('OPTIONS', path, { headers: { ...headers, 'access-control-request-method': 'PATCH' } });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-headers')).toMatch(/authorization.*content-type.*range/i);
      expect(answer.headers.get('access-control-allow-methods')).toMatch(/POST.*PATCH.*DELETE/);
    }
    for (const [path, options] of [
      ['/healthz', {}],
      ['/v1/conversations', { bearer: agent.token }],
      ['/v1/conversations', {}],
      ['/', {}],
    ] as const) {
      const answer = await call('GET', path, { headers, ...options });
      expect(answer.headers.get('access-control-allow-origin'), path).toBe('*');
      expect(answer.headers.get('access-control-expose-headers'), path).toMatch(/retry-after/i);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(answer.headers.get('referrer-policy'), path).toBe('no-referrer');
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    expect((await call('GET', '/v1/conversations', { bearer: agent.token })).headers.get('cache-control')).toBe('no-store');
  });

  it('is a JSON 404 for paths and methods that are not there', async () => {
    const agent = await enrol();
    for (const [method, path] of [
      ['GET', '/v1'],
      ['GET', '/v1/'],
      ['GET', '/v1/nothing'],
      ['GET', '/.well-known/nothing'],
      ['PUT', '/v1/conversations'],
      ['POST', '/healthz'],
      ['POST', '/'],
      ['DELETE', '/index.html'],
      ['GET', `/v1/agents/${agent.id}`],
      ['PATCH', '/v1/devices/x'],
    ] as const) {
      const bearer = path.startsWith('/v1/agents') ? OWNER_KEY : agent.token;
      expectRefused(await call(method, path, { bearer }), 404, 'not_found');
    }
  });

  it('says of a failure only that it was one, and the log says only where', async () => {
    const agent = await enrol();
    vi.spyOn(DirectoryObject.prototype, 'conversations').mockRejectedValue(new Error('a secret'));
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const answer = await call('GET', '/v1/conversations', { bearer: agent.token });
    expectRefused(answer, 500, 'internal');
    expect(logged).toHaveBeenCalledOnce();
    const line = String(logged.mock.calls[0]?.[0]);
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      event: 'request_failed',
      method: 'GET',
      route: '/v1/conversations',
      status: 500,
      error: 'Error',
    });
    for (const secret of ['a secret', agent.token]) expect(line + answer.text).not.toContain(secret);
    vi.restoreAllMocks();
  });

  it('is the page for every other path, under a strict policy', async () => {
    for (const path of ['/', '/settings', '/index.html?x=1']) {
      const { status, headers } = await call('GET', path, { headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' } });
      expect([200, 307], path).toContain(status);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers.get('cache-control'), path).toBe('no-cache');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toContain('camera=(self)');
    }
    expectRefused(await call('GET', '/assets/gone-1a2b3c.js'), 404, 'not_found');
  });
});
