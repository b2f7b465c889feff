/** §3: pairings, from the code that an agent shows to the device that it makes. */
import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call, conversation, enrol, expectRefused, join, offer, ORIGIN, OWNER_KEY, pair, redeem } from './getting-in-client.ts';

const directory = () => env.DIRECTORY.getByName('directory');
const device = { name: 'Phone', platform: 'web' };

describe('a pairing', () => {
  it('is a code, a link that keeps the code from servers, and a time', async () => {
    const agent = await enrol();
    for (const [body, seconds] of [
      [{}, 600],
      [{ ttl_s: 30, label: 'kitchen' }, 30],
      [{ ttl_s: 3600 }, 3600],
    ] as const) {
      const made = await offer(agent, body);
      expect(made).toEqual({
        pairing_id: expect.stringMatching(/^pr_[a-z0-9]{16,}$/),
        code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{8}$/),
        url: `${ORIGIN}/#pair=${made.code}`,
        expires_at: expect.stringMatching(/Z$/),
      });
      expect(Math.abs(Date.parse(made.expires_at) - Date.now() - seconds * 1000)).toBeLessThan(2_000);
    }
    expect((await call('POST', '/v1/pairings', { bearer: agent.token })).status, 'no body at all').toBe(201);
    for (const ttl_s of [29, 3601, 0, -1, 60.5, '120', null, {}]) {
      expectRefused(await call('POST', '/v1/pairings', { bearer: agent.token, body: { ttl_s } }), 400, 'invalid_payload');
    }
  });

  it('is made and seen by its agent alone', async () => {
    const [agent, other] = [await enrol(), await enrol()];
    const phone = await pair(agent);
    const path = `/v1/pairings/${(await offer(agent)).pairing_id}`;
    for (const bearer of [undefined, OWNER_KEY, 'x']) {
      expectRefused(await call('POST', '/v1/pairings', { bearer }), 401, 'unauthorized');
      expectRefused(await call('GET', path, { bearer }), 401, 'unauthorized');
    }
    expectRefused(await call('POST', '/v1/pairings', { bearer: phone.token }), 403, 'forbidden');
    expectRefused(await call('GET', path, { bearer: other.token }), 404, 'not_found');
    for (const id of [`pr_${'a'.repeat(24)}`, 'pr_x', 'x', 'pr_%00', 'redeem']) {
      expectRefused(await call('GET', `/v1/pairings/${id}`, { bearer: agent.token }), 404, 'not_found');
    }
  });

  it('shows its agent when it was redeemed, and by whom', async () => {
    const agent = await enrol();
    const { code, pairing_id } = await offer(agent);
    const status = async () => (await call('GET', `/v1/pairings/${pairing_id}`, { bearer: agent.token })).json;
    expect(await status()).toEqual({ state: 'pending' });
    const { json } = await redeem(code, { name: 'Mika' });
    expect(await status()).toEqual({
      state: 'redeemed',
      device: { device_id: json.device_id, name: 'Mika', platform: 'web', paired_at: expect.any(String) },
    });
  });
});

describe('redeeming', () => {
  it('gives the device, its agent, the first conversation and a token for 30 days', async () => {
    const agent = await enrol('Hermes');
    await conversation(agent, 'Second');
    const { status, json } = await redeem((await offer(agent)).code);
    expect([status, json]).toEqual([
      200,
      {
        device_id: expect.stringMatching(/^dv_[a-z0-9]{16,}$/),
        agent: { id: agent.id, name: 'Hermes' },
        conversation_id: agent.conversation,
        token: expect.any(String),
        expires_at: expect.any(String),
      },
    ]);
    expect((Date.parse(json.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(30, 1);
  });

  it('does not mind how the code is typed', async () => {
    const agent = await enrol();
    for (const typed of [(c: string) => c.toLowerCase(), (c: string) => ` ${c.slice(0, 4)}-${c.slice(4)} `, (c: string) => [...c].join(' ')]) {
      expect((await redeem(typed((await offer(agent)).code))).status).toBe(200);
    }
  });

  it('has one winner, and the agent one device', async () => {
    const agent = await enrol();
    const { code } = await offer(agent);
    const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
    for (const answer of answers) if (answer.status === 404) expectRefused(answer, 404, 'pairing_not_found');
    expect((await call('GET', '/v1/devices', { bearer: agent.token })).json.devices).toHaveLength(1);
    expect((await redeem(code)).text).toBe((await redeem('ZZZZ0000')).text);
  });

  it('refuses malformed bodies without counting them or using the code up', async () => {
    const agent = await enrol();
    const { code } = await offer(agent);
    const headers = { 'cf-connecting-ip': 'malformed' };
    const bodies = [
      { code },
      { device },
      { code: 5, device },
      { code: null, device },
      { code, device: 'x' },
      { code, device: { name: 'x' } },
      { code, device: { ...device, name: {} } },
      {},
    ];
    for (const body of [...bodies, ...bodies]) expectRefused(await call('POST', '/v1/pairings/redeem', { body, headers }), 400, 'invalid_payload');
    expectRefused(
      await call('POST', '/v1/pairings/redeem', { raw: '{', headers: { ...headers, 'content-type': 'application/json' } }),
      400,
      'invalid_json',
    );
    expect((await redeem(code, { address: 'malformed' })).status).toBe(200);
  });

  it('is told in every conversation of the agent, and in no other', async () => {
    const [agent, other] = [await enrol(), await enrol()];
    const phone = await pair(agent);
    const second = await conversation(agent);
    const sockets = [await join(agent), await join(phone), await join(agent, second), await join(phone, second)];
    const stranger = await join(other);
    const third = await pair(agent, 'Tablet');
    for (const socket of sockets)
      expect(await socket.wait('system.paired', third.id)).toMatchObject({ device: { device_id: third.id, name: 'Tablet' } });
    await call('DELETE', `/v1/devices/${third.id}`, { bearer: agent.token });
    for (const socket of sockets) expect(await socket.wait('system.revoked', third.id)).toMatchObject({ device: { device_id: third.id } });
    expect(stranger.texts.filter((text) => text.includes(third.id))).toEqual([]);
    for (const socket of [...sockets, stranger]) socket.end();
  });

  it('refuses the 33rd device, until another goes', async () => {
    const agent = await enrol();
    const devices = await Promise.all(Array.from({ length: 32 }, () => pair(agent)));
    const { code, pairing_id } = await offer(agent);
    for (let i = 0; i < 3; i++) expectRefused(await redeem(code), 409, 'too_many');
    expect((await call('GET', `/v1/pairings/${pairing_id}`, { bearer: agent.token })).json).toEqual({ state: 'pending' });
    await call('DELETE', `/v1/devices/${devices[0]?.id}`, { bearer: agent.token });
    expect((await redeem(code)).status).toBe(200);
  });
});

describe('guessing codes', () => {
  it('is stopped after ten failures from an address, whatever it says of itself, and an eviction gives no fresh tries', async () => {
    const agent = await enrol();
    const { code, pairing_id } = await offer(agent);
    const guess = (i: number, guessed: string) =>
      call('POST', '/v1/pairings/redeem', {
        body: { code: guessed, device },
        headers: {
          'cf-connecting-ip': '203.0.113.7',
          'x-forwarded-for': `198.51.100.${i}`,
          forwarded: `for=198.51.100.${i}`,
          'x-real-ip': `198.51.100.${i}`,
        },
      });
    for (let i = 0; i < 10; i++) expectRefused(await guess(i, `0000000${i}`), 404, 'pairing_not_found');
    for (const guessed of ['00000010', code]) {
      const limited = await guess(10, guessed);
      expectRefused(limited, 429, 'rate_limited');
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(50);
      expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(limited.text).not.toContain(guessed);
    }
    await evictDurableObject(directory());
    expectRefused(await guess(11, code), 429, 'rate_limited');
    expect((await call('GET', `/v1/pairings/${pairing_id}`, { bearer: agent.token })).json).toEqual({ state: 'pending' });
    expect((await redeem(code, { address: '203.0.113.8' })).status).toBe(200);
  });

  it('from nowhere in particular shares one count', async () => {
    const guess = (headers: Record<string, string>) => call('POST', '/v1/pairings/redeem', { body: { code: 'ZZZZ0000', device }, headers });
    for (let i = 0; i < 10; i++) expectRefused(await guess({ 'x-forwarded-for': `198.51.100.${i}` }), 404, 'pairing_not_found');
    expectRefused(await guess({}), 429, 'rate_limited');
  });

  it('is stopped for everybody after a hundred failures in an hour', async () => {
    const agent = await enrol();
    let tried = 0;
    while ((await redeem('ZZZZ0000')).status === 404) tried++;
    expect(tried).toBeLessThanOrEqual(100);
    const limited = await redeem((await offer(agent)).code);
    expectRefused(limited, 429, 'rate_limited');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3_500);
  });
});
