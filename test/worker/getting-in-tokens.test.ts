/** §3: what tokens are good for, and for how long; §3, §4: what revoking does everywhere at once. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { base64url, decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Claims } from '../../src/worker/auth/claims.ts';
import { ConversationObject } from '../../src/worker/conversation-object.ts';
import { DirectoryObject } from '../../src/worker/directory-object.ts';
import { call, closeCodeFor, connect, conversation, enrol, expectRefused, join, OWNER_KEY, pair, type Bearer } from './getting-in-client.ts';

const directory = () => env.DIRECTORY.getByName('directory');
afterEach(() => vi.restoreAllMocks());

/** Every call that wants a token. */
function everyCall(who: Bearer): [method: string, path: string, body?: object][] {
  const inside = `/v1/conversations/${who.conversation}`;
  const text = { v: 1, id: crypto.randomUUID(), type: 'text', payload: { content: 'x' } };
  return [
    ['POST', '/v1/token'],
    ['GET', '/v1/devices'],
    ['DELETE', `/v1/devices/${who.id.startsWith('dv') ? who.id : `dv_${'a'.repeat(24)}`}`],
    ['GET', '/v1/conversations'],
    ['POST', '/v1/conversations', {}],
    ['PATCH', inside, { title: 'x' }],
    ['DELETE', inside],
    ['GET', `${inside}/messages`],
    ['POST', `${inside}/messages`, text],
    ['GET', `${inside}/audit`],
    ['POST', `${inside}/files`, {}],
    ['GET', `${inside}/files/fl_${'a'.repeat(24)}`],
    ['POST', '/v1/pairings', {}],
    ['GET', `/v1/pairings/pr_${'a'.repeat(24)}`],
  ];
}

async function expectNoWayIn(who: Bearer, token: string, close: number): Promise<void> {
  for (const [method, path, body] of everyCall(who)) {
    const answer = await call(method, path, { bearer: token, body });
    expectRefused(answer, 401, 'unauthorized');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
  expect(await closeCodeFor(who.conversation, token)).toBe(close);
}

describe('a token', () => {
  it('is exchanged for a fresh one of the same participant', async () => {
    const agent = await enrol();
    for (const who of [agent, await pair(agent)]) {
      const { status, json } = await call('POST', '/v1/token', { bearer: who.token });
      expect([status, Object.keys(json).toSorted()]).toEqual([200, ['expires_at', 'token']]);
      const [old, fresh] = [decodeJwt(who.token), decodeJwt(json.token)];
      expect({ ...fresh, iat: 0, exp: 0, jti: '' }).toEqual({ ...old, iat: 0, exp: 0, jti: '' });
      expect(fresh.jti).not.toBe(old.jti);
      expect((await call('GET', '/v1/conversations', { bearer: json.token })).status).toBe(200);
    }
  });

  it('is not taken from a URL', async () => {
    const { token, conversation: id } = await enrol();
    for (const name of ['token', 'access_token', 'jwt', 'bearer'])
      expectRefused(await call('GET', `/v1/conversations?${name}=${token}`), 401, 'unauthorized');
    const socket = await connect(id, undefined, `?token=${token}`);
    socket.send({ type: 'system.hello', payload: { name: 'x' } });
    expect((await socket.closed).code).toBe(4401);
  });

  it('that the relay did not sign opens nothing', async () => {
    const agent = await enrol();
    const device = await pair(agent);
    const { privateKey } = await generateKeyPair('EdDSA');
    const claims = decodeJwt(device.token);
    const header = { ...decodeProtectedHeader(device.token), alg: 'EdDSA' };
    const [head, body, signature = ''] = device.token.split('.');
    const forged = [
      await new SignJWT(claims).setProtectedHeader(header).sign(privateKey),
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: header.kid ?? '' }).sign(new TextEncoder().encode('x'.repeat(32))),
      new UnsecuredJWT(claims).encode(),
      `${head}.${base64url.encode(JSON.stringify({ ...claims, role: 'agent' }))}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}`,
      'x',
      'A'.repeat(3_000),
    ];
    for (const token of forged) await expectNoWayIn(device, token, 4401);
    expect((await call('GET', '/v1/conversations', { bearer: device.token })).status).toBe(200);
  });

  it('that is bad wakes no conversation', async () => {
    const agent = await enrol();
    const fetched = vi.spyOn(ConversationObject.prototype, 'fetch');
    expect(await closeCodeFor(agent.conversation, 'nonsense')).toBe(4401);
    expect(fetched).not.toHaveBeenCalled();
    (await join(agent)).end();
    expect(fetched).toHaveBeenCalledOnce();
  });
});

describe('a replaced agent token', () => {
  it('gets in no more by an admission that was decided just before', async () => {
    const agent = await enrol();
    const admit = DirectoryObject.prototype.admit;
    vi.spyOn(DirectoryObject.prototype, 'admit').mockImplementationOnce(async function (this: DirectoryObject, token, id) {
      const answer = await admit.call(this, token, id);
      await this.replaceToken(agent.id);
      return answer;
    });
    expect(await closeCodeFor(agent.conversation, agent.token)).toBe(4401);
  });

  it("ends the older ones at once and everywhere; the agent's devices stay", async () => {
    const agent = await enrol();
    const device = await pair(agent);
    const second = await conversation(agent);
    const sockets = [await join(agent), await join(agent, second)];
    const phone = await join(device);
    const { status, json } = await call('POST', `/v1/agents/${agent.id}/token`, { bearer: OWNER_KEY });
    expect(status).toBe(200);
    for (const socket of sockets) expect((await socket.closed).code).toBe(4401);
    await expectNoWayIn(agent, agent.token, 4401);
    const renewed = await join({ ...agent, token: json.token });
    expect((await call('GET', '/v1/conversations', { bearer: json.token })).json.conversations).toHaveLength(2);
    phone.send({ type: 'system.ping' });
    await phone.wait('system.pong');
    for (const id of [`ag_${'a'.repeat(24)}`, 'x', agent.id.toUpperCase()]) {
      expectRefused(await call('POST', `/v1/agents/${id}/token`, { bearer: OWNER_KEY }), 404, 'not_found');
    }
    renewed.end();
    phone.end();
  });
});

describe('a revoked device', () => {
  it('is out at once: sockets 4403 in every conversation, HTTP 401, no refresh, no way back', async () => {
    const agent = await enrol();
    const [device, stays] = [await pair(agent), await pair(agent)];
    const second = await conversation(agent);
    const fresh = (await call('POST', '/v1/token', { bearer: device.token })).json.token;
    const sockets = [await join(device), await join(device), await join(device, second)];
    const other = await join(stays, second);
    expect(await call('DELETE', `/v1/devices/${device.id}`, { bearer: agent.token })).toMatchObject({ status: 204, text: '' });
    for (const socket of sockets) expect((await socket.closed).code).toBe(4403);
    for (const token of [device.token, fresh]) await expectNoWayIn(device, token, 4403);
    await other.wait('system.revoked', device.id);
    expect((await call('GET', '/v1/conversations', { bearer: stays.token })).status).toBe(200);
    other.end();
  });

  it('gets in no more by an admission that was decided just before, on the upgrade or by hello', async () => {
    const agent = await enrol();
    const admit = DirectoryObject.prototype.admit;
    for (const via of ['upgrade', 'hello']) {
      const device = await pair(agent);
      vi.spyOn(DirectoryObject.prototype, 'admit').mockImplementationOnce(async function (this: DirectoryObject, token, id) {
        const answer = await admit.call(this, token, id);
        await this.revokeDevice(decodeJwt(agent.token) as unknown as Claims, device.id);
        return answer;
      });
      const socket = await connect(device.conversation, via === 'upgrade' ? device.token : undefined);
      socket.send({ type: 'system.hello', payload: { name: 'x', token: device.token } });
      expect((await socket.closed).code, via).toBe(4403);
      expect(socket.frames, via).toEqual([]);
    }
  });

  it('may be oneself, and is nobody else', async () => {
    const [agent, other] = [await enrol(), await enrol()];
    const [device, sibling, stranger] = [await pair(agent), await pair(agent), await pair(other)];
    for (const { token } of [sibling, other, stranger])
      expectRefused(await call('DELETE', `/v1/devices/${device.id}`, { bearer: token }), 404, 'not_found');
    for (const id of [`dv_${'a'.repeat(24)}`, 'x', agent.id])
      expectRefused(await call('DELETE', `/v1/devices/${id}`, { bearer: agent.token }), 404, 'not_found');
    const socket = await join(device);
    expect((await call('DELETE', `/v1/devices/${device.id}`, { bearer: device.token })).status).toBe(204);
    expect((await socket.closed).code).toBe(4403);
    expectRefused(await call('DELETE', `/v1/devices/${device.id}`, { bearer: agent.token }), 404, 'not_found');
  });

  it('is cut in a conversation that could not be told, as soon as that can', async () => {
    const agent = await enrol();
    const device = await pair(agent);
    const second = await conversation(agent);
    const [near, far] = [await join(device), await join(device, second)];
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const tell = ConversationObject.prototype.tell;
    const failing = vi.spyOn(ConversationObject.prototype, 'tell').mockImplementation(async function (this: ConversationObject, tidings) {
      const { id } = (this as unknown as { ctx: DurableObjectState }).ctx;
      if (id.equals(env.CONVERSATIONS.idFromName(second))) throw new Error('cannot hear');
      return await tell.call(this, tidings);
    });
    expect((await call('DELETE', `/v1/devices/${device.id}`, { bearer: agent.token })).status).toBe(204);
    expect((await near.closed).code).toBe(4403);
    await expectNoWayIn(device, device.token, 4403);
    far.send({ type: 'system.ping' });
    await far.wait('system.pong');
    const pending = () => runInDurableObject(directory(), (_, { storage }) => storage.getAlarm());
    expect(await pending()).toBeGreaterThan(Date.now());

    failing.mockRestore();
    await evictDurableObject(directory());
    await runInDurableObject(directory(), (_, { storage }) => void storage.sql.exec('UPDATE tidings SET due_at = 0'));
    expect(await runDurableObjectAlarm(directory())).toBe(true);
    expect((await far.closed).code).toBe(4403);
    expect(await pending()).toBeNull();
  });
});

describe('a revoked agent', () => {
  it('is out with its devices, and forgotten; others stay', async () => {
    const [agent, other] = [await enrol('To go'), await enrol('To stay')];
    const [device, stays] = [await pair(agent), await pair(other)];
    const second = await conversation(agent);
    const sockets = [await join(agent), await join(device), await join(device, second)];
    const bystander = await join(stays);
    expect(await call('DELETE', `/v1/agents/${agent.id}`, { bearer: OWNER_KEY })).toMatchObject({ status: 204, text: '' });
    for (const socket of sockets) expect((await socket.closed).code).toBe(4403);
    for (const who of [agent, device]) await expectNoWayIn(who, who.token, 4403);
    const ids = (await call('GET', '/v1/agents', { bearer: OWNER_KEY })).json.agents.map(({ agent_id }: { agent_id: string }) => agent_id);
    expect(ids).toContain(other.id);
    expect(ids).not.toContain(agent.id);
    bystander.send({ type: 'system.ping' });
    await bystander.wait('system.pong');
    for (const id of [agent.id, `ag_${'a'.repeat(24)}`, 'x'])
      expectRefused(await call('DELETE', `/v1/agents/${id}`, { bearer: OWNER_KEY }), 404, 'not_found');
    bystander.end();
  });
});
