/** How calls end (§6): by an answer, by an agent that lost them, and in the audit. */
import { describe, expect, it } from 'vitest';
import { KINDS } from '../../test/support/calls.ts';
import { AGENT, OPENS_AT, PHONE, Room, TABLET, type Socket } from '../../test/support/room.ts';
import type { JsonObject } from '../protocol/json.ts';

const at = (ms: number): string => new Date(OPENS_AT + ms).toISOString();
const settled = (socket: Socket): JsonObject[] => socket.of('system.settled').map(({ payload }) => payload);

async function scene() {
  const room = new Room();
  const [agent, phone, tablet] = [await room.join(AGENT), await room.join(PHONE), await room.join(TABLET)];
  return { room, agent, phone, tablet };
}

const statusOf = (room: Room, callId: string): string | undefined => room.ledger.calls.get(callId)?.status;

describe('the status of a settled call', () => {
  it.each([
    ['rejected', 'rejected'],
    ['cancelled', 'cancelled'],
    ['expired', 'expired'],
    ['unknown_tool', 'unsupported'],
    ['unknown_action', 'unsupported'],
    ['invalid_arguments', 'failed'],
    ['execution_error', 'failed'],
    ['anything', 'failed'],
  ])('is for a tool.result with error %s: %s', async (code, status) => {
    const { room, agent, phone } = await scene();
    await room.send(agent, 'tool.call', KINDS.tool.asked('c'));
    await room.send(phone, 'tool.result', { name: 'choice', call_id: 'c', error: { code, message: '' } });
    expect(statusOf(room, 'c')).toBe(status);
  });

  it.each(['completed', 'rejected', 'cancelled', 'expired', 'unsupported', 'failed'])('is for an app.result what it says: %s', async (status) => {
    const { room, agent, phone } = await scene();
    await room.send(agent, 'app.call', KINDS.app.asked('c'));
    await room.send(phone, 'app.result', { call_id: 'c', status });
    expect(statusOf(room, 'c')).toBe(status);
  });
});

describe('the agent that says cancel_pending (§4)', () => {
  it('settles all its calls as cancelled, by itself, with results that the relay made', async () => {
    const { room, agent, phone, tablet } = await scene();
    await room.send(agent, 'tool.call', KINDS.tool.asked('a'));
    await room.send(agent, 'app.call', KINDS.app.asked('b'), { target: { kind: 'app', id: PHONE.id } });
    await room.send(agent, 'tool.call', KINDS.tool.asked('done'));
    await room.send(phone, 'tool.result', KINDS.tool.answer('done'));
    const again = await room.join(AGENT, { cancel_pending: true, ...room.resume(4) });
    expect(again.of('system.welcome')[0]!.payload.pending_calls).toEqual([]);
    expect(again.logged()).toMatchObject([
      { type: 'tool.result', sender: { kind: 'relay' }, payload: { call_id: 'a', error: { code: 'cancelled' } } },
      { type: 'lineup.v1.app.result', payload: { call_id: 'b', status: 'cancelled' } },
    ]);
    expect(settled(phone)).toEqual(['a', 'b'].map((call_id) => ({ call_id, status: 'cancelled', by: AGENT })));
    expect(settled(tablet).map(({ call_id }) => call_id)).toEqual(['done', 'a']);
    expect(statusOf(room, 'done')).toBe('completed');
  });

  it('may not say it as a device', async () => {
    const { room, agent } = await scene();
    await room.send(agent, 'tool.call', KINDS.tool.asked('a'));
    await room.join(PHONE, { cancel_pending: true });
    expect(statusOf(room, 'a')).toBe('pending');
  });
});

describe('the audit (rule 9)', () => {
  it('says who asked for what and who decided, newest first, and never arguments or results', async () => {
    const { room, agent, phone } = await scene();
    await room.send(agent, 'tool.call', { name: 'canvas', action: 'open', call_id: 'a', arguments: { secret: 1 } });
    await room.send(agent, 'app.call', { ...KINDS.app.asked('b'), reason: 'to copy' });
    room.pass(1_000);
    await room.send(phone, 'tool.result', { name: 'canvas', action: 'open', call_id: 'a', result: { message: 'secret' } });
    await room.send(agent, 'app.cancel', { call_id: 'b' });
    await room.send(agent, 'tool.call', KINDS.tool.asked('c', { expires_at: at(0) }));
    await room.send(agent, 'tool.call', KINDS.tool.asked('d'));
    expect(room.ledger.calls.audit(10)).toEqual([
      { call_id: 'd', kind: 'tool', name: 'choice', asked_by: AGENT, asked_at: at(1_000), settled_at: null, status: 'pending', settled_by: null },
      {
        call_id: 'c',
        kind: 'tool',
        name: 'choice',
        asked_by: AGENT,
        asked_at: at(1_000),
        settled_at: at(1_000),
        status: 'expired',
        settled_by: { kind: 'relay' },
      },
      {
        call_id: 'b',
        kind: 'app',
        capability: 'clipboard.write',
        reason: 'to copy',
        asked_by: AGENT,
        asked_at: at(0),
        settled_at: at(1_000),
        status: 'cancelled',
        settled_by: AGENT,
      },
      {
        call_id: 'a',
        kind: 'tool',
        name: 'canvas',
        action: 'open',
        asked_by: AGENT,
        asked_at: at(0),
        settled_at: at(1_000),
        status: 'completed',
        settled_by: PHONE,
      },
    ]);
    expect(room.ledger.calls.audit(1).map(({ call_id }) => call_id)).toEqual(['d']);
  });
});
