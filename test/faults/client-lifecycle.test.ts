/** client/core against the real relay where nothing fails: getting in, being thrown out, receipts, presence, calls, files, gaps. */
import { afterEach, describe, expect, it } from 'vitest';
import { RelayError } from '../../client/core/errors.ts';
import { RelayHttp } from '../../client/core/http.ts';
import { parsePairingInput } from '../../client/core/pairing.ts';
import { OWNER_KEY } from '../support/relay-process.ts';
import { Stage, until } from './stage.ts';

let stage: Stage;
afterEach(() => stage.strike());

async function pair() {
  stage = await Stage.set();
  const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
  await until('both are online', () => stage.players.every(({ connection }) => connection.state.name === 'online'));
  return { agent, phone };
}

describe('getting in', () => {
  it('a pairing link leads to a device, once', async () => {
    stage = await Stage.set();
    const { url, pairing_id, code } = await stage.http.createPairing({ ttl_s: 60, label: 'Phone' });
    expect(await stage.http.pairing(pairing_id)).toMatchObject({ state: 'pending' });
    expect(parsePairingInput(url)).toEqual({ ok: true, code, origin: stage.relay.origin });
    const redeemed = await RelayHttp.redeem(stage.relay.origin, code.toLowerCase(), { name: 'Phone', platform: 'test' });
    expect(redeemed).toMatchObject({ conversation_id: stage.conversationId, agent: { name: 'Agent' } });
    expect(await stage.http.pairing(pairing_id)).toMatchObject({ state: 'redeemed', device: { name: 'Phone' } });
    await expect(RelayHttp.redeem(stage.relay.origin, code, { name: 'Other', platform: 'test' })).rejects.toMatchObject({
      code: 'pairing_not_found',
      status: 404,
    });
  });

  it('guessing is limited, and the refusal says for how long', async () => {
    stage = await Stage.set();
    const guess = () => RelayHttp.redeem(stage.relay.origin, '00000000', { name: 'x', platform: 'test' }).catch((error: RelayError) => error);
    let refusal = await guess();
    for (let i = 0; i < 15 && refusal instanceof RelayError && refusal.status === 404; i++) refusal = await guess();
    expect(refusal).toMatchObject({ code: 'rate_limited', status: 429, retryable: true });
    expect((refusal as RelayError).retryAfter).toBeGreaterThan(0);
  });

  it('tokens, devices, conversations and health answer as their types say', async () => {
    const { phone } = await pair();
    expect(await phone.http.health()).toMatchObject({ ok: true, name: 'lineup-relay', protocol: 1 });
    expect((await phone.http.refreshToken()).token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(await phone.http.devices()).toMatchObject([{ device_id: phone.self.id, name: 'Phone', platform: 'test', online: true }]);
    const made = await phone.http.createConversation('Second');
    expect(await phone.http.renameConversation(made.conversation_id, 'Renamed')).toMatchObject({ title: 'Renamed' });
    expect(await phone.http.conversations()).toHaveLength(2);
    await phone.http.deleteConversation(made.conversation_id);
    expect(await phone.http.conversations()).toHaveLength(1);
    expect(await stage.http.audit(stage.conversationId)).toEqual([]);
  });
});

describe('being thrown out', () => {
  it('revoked: pair again', async () => {
    const { agent, phone } = await pair();
    const told: string[] = [];
    agent.connection.on('revoked', ({ device }) => told.push(device.device_id));
    await stage.http.unpair(phone.self.id);
    await until('it stopped', () => phone.connection.state.name === 'stopped');
    expect(phone.connection.state).toEqual({ name: 'stopped', reason: 'pair-again' });
    await until('the agent knows', () => told.length > 0);
    phone.connection.start();
    await until('it stopped again', () => phone.connection.state.name === 'stopped');
    expect(phone.connection.state).toEqual({ name: 'stopped', reason: 'pair-again' });
  });

  it('a token that was replaced by the owner: pair again', async () => {
    const { agent } = await pair();
    const response = await fetch(new URL(`/v1/agents/${agent.self.id}/token`, stage.relay.origin), {
      method: 'POST',
      headers: { authorization: `Bearer ${OWNER_KEY}` },
    });
    expect(response.status).toBe(200);
    await until('it stopped', () => agent.connection.state.name === 'stopped');
    expect(agent.connection.state).toEqual({ name: 'stopped', reason: 'pair-again' });
  });

  it('the conversation is deleted: stop', async () => {
    const { agent, phone } = await pair();
    await agent.http.deleteConversation(stage.conversationId);
    await until('both stopped', () => stage.players.every(({ connection }) => connection.state.name === 'stopped'));
    expect(phone.connection.state).toEqual({ name: 'stopped', reason: 'not-found' });
  });
});

describe('what both sides see', () => {
  it('receipts and presence', async () => {
    const { agent, phone } = await pair();
    const receipts: number[] = [];
    const presence: boolean[] = [];
    agent.connection.on('receipt', ({ participant, seq }) => {
      if (participant.id === phone.self.id) receipts.push(seq);
    });
    agent.connection.on('presence', ({ online }) => presence.push(online));
    await agent.say();
    await until('it was delivered', () => receipts.includes(phone.newest) && phone.newest > 0);
    await phone.connection.close();
    await until('it is gone', () => presence.at(-1) === false);
  });

  it('streamed text arrives in order, and is dropped without a connection', async () => {
    const { agent, phone } = await pair();
    let heard = '';
    phone.connection.on('message', ({ type, payload }) => {
      if (type === 'text.delta') heard += String(payload.delta);
    });
    for (let i = 0; i < 10; i++) expect(agent.connection.sendNow('text.delta', { message_id: 'm', offset: i, delta: `${i}` })).toBe(true);
    await until('it arrived', () => heard === '0123456789');
    agent.network.down();
    await until('it is away', () => agent.connection.state.name === 'waiting');
    expect(agent.connection.sendNow('text.delta', { message_id: 'm', offset: 10, delta: 'x' })).toBe(false);
  });

  it('a call is settled by the first answer, and the other device is told', async () => {
    const { agent, phone } = await pair();
    const tablet = await stage.device('Tablet');
    await until('online', () => tablet.connection.state.name === 'online');
    const calls: string[] = [];
    const settled: string[] = [];
    for (const { connection } of [phone, tablet])
      connection.on('message', ({ type, payload }) => type === 'tool.call' && calls.push(String(payload.call_id)));
    tablet.connection.on('settled', ({ call_id, status }) => settled.push(`${call_id} ${status}`));
    await agent.connection.send('tool.call', { name: 'confirm', action: 'ask', call_id: 'c1', arguments: { question: 'Sure?' } });
    await until('both were asked', () => calls.length === 2);
    await phone.connection.send('tool.result', { name: 'confirm', action: 'ask', call_id: 'c1', result: { message: 'confirmed' } });
    await until('the other knows', () => settled.length === 1);
    expect(settled).toEqual(['c1 completed']);
    const late = await tablet.connection.send('tool.result', { name: 'confirm', action: 'ask', call_id: 'c1', result: { message: 'no' } });
    await expect(late.done).rejects.toMatchObject({ code: 'already_settled' });
  });

  it('a pending call comes back after every new connection, and is told once', async () => {
    const { agent, phone } = await pair();
    const told: string[] = [];
    phone.connection.on('message', ({ type, payload }) => type === 'tool.call' && told.push(String(payload.call_id)));
    await (
      await agent.connection.send('tool.call', { name: 'confirm', action: 'ask', call_id: 'c1', arguments: {} })
    ).done;
    for (let round = 2; round < 5; round++) {
      phone.network.cut();
      await until('online again', () => phone.connections === round && phone.connection.state.name === 'online');
    }
    expect(told).toEqual(['c1']);
    expect(phone.connection.welcome?.pending_calls).toEqual(['c1']);
  });

  it('files', async () => {
    const { agent, phone } = await pair();
    const bytes = crypto.getRandomValues(new Uint8Array(50_000));
    const { file_id, size } = await agent.http.upload(stage.conversationId, bytes, 'image/png');
    expect(size).toBe(50_000);
    const file = await phone.http.download(stage.conversationId, file_id);
    expect(file.type).toBe('image/png');
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);
    await expect(phone.http.download(stage.conversationId, 'fl_aaaaaaaaaaaaaaaaaaaaaaaa')).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('a log that was trimmed meanwhile is announced as a gap, and the rest arrives', async () => {
  stage = await Stage.set({ variables: { LINEUP_RATE_PER_S: '0', LINEUP_RETAIN_MESSAGES: '100' } });
  const [agent, phone] = [await stage.agent(), await stage.device('Phone')];
  await agent.say();
  await until('it arrived', () => phone.newest > 0);
  phone.network.down();
  await until('it is away', () => phone.connection.state.name === 'waiting');
  for (let i = 0; i < 400; i++) await agent.say();
  expect(await stage.verdict()).toEqual([]);
  expect(phone.observer.gaps).toHaveLength(1);
});
