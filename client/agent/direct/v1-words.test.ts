import { describe, expect, it } from 'vitest';
import type { Delivered } from '../../../src/protocol/envelope.ts';
import { MESSAGE_TYPES } from '../../../src/protocol/messages.ts';
import { toV1 } from './v1-words.ts';

const address = (fileId: string): string => `http://home.local:9527/files/${fileId}`;
const from = (kind: 'agent' | 'app' | 'relay', type: string, payload: Delivered['payload'], more: Partial<Delivered> = {}): Delivered => ({
  v: 1,
  id: 'm1',
  type,
  conversation_id: 'cv_aaaaaaaaaaaaaaaa',
  sender: kind === 'relay' ? { kind } : { kind, id: `${kind === 'agent' ? 'ag' : 'dv'}_aaaaaaaaaaaaaaaa` },
  seq: 7,
  ts: '2026-11-29T12:00:00.000Z',
  payload,
  ...more,
});

describe('to a v1 app', () => {
  it('a message is the four fields of its document, its payload untouched', () => {
    const payload = { content: 'hi', format: 'markdown', extra: { kept: true } };
    expect(toV1(from('agent', 'text', payload), 'app', address)).toEqual({ v: 1, id: 'm1', type: 'text', payload });
  });

  it('a picture of the conversation has an address that opens; any other keeps its own', () => {
    expect(toV1(from('agent', 'image', { url: '/v1/x', file_id: 'fl_1', alt: 'a' }), 'app', address)?.payload).toEqual({
      url: address('fl_1'),
      file_id: 'fl_1',
      alt: 'a',
    });
    expect(toV1(from('agent', 'image', { url: 'https://example.org/a.png' }), 'app', address)?.payload).toEqual({ url: 'https://example.org/a.png' });
  });

  it('a file and an error are texts, for they must not be missed', () => {
    expect(toV1(from('agent', 'file', { name: 'a.csv', file_id: 'fl_2', size: 3 }), 'app', address)).toMatchObject({
      type: 'text',
      payload: { content: `a.csv\n${address('fl_2')}` },
    });
    expect(toV1(from('agent', 'error', { code: 'x', message: 'out of ink' }), 'app', address)).toMatchObject({
      type: 'text',
      payload: { content: 'out of ink' },
    });
  });

  it('a call that is settled is no call', () => {
    const settled = { status: 'completed', by: { kind: 'relay' as const }, at: '2026-11-29T12:00:00.000Z' };
    expect(toV1(from('agent', 'tool.call', { call_id: 'c1' }, { settled }), 'app', address)).toBeNull();
    expect(toV1(from('agent', 'tool.call', { call_id: 'c1' }), 'app', address)).not.toBeNull();
  });

  it('what another device of the user says is not put into the agent’s mouth', () => {
    expect(toV1(from('app', 'text', { content: 'x' }), 'app', address)).toBeNull();
  });
});

describe('to a v1 agent', () => {
  it('an error has a result too, and a result stays as it is', () => {
    const error = { code: 'expired', message: 'nobody answered' };
    expect(toV1(from('relay', 'tool.result', { call_id: 'c1', error }), 'agent', address)?.payload).toEqual({
      call_id: 'c1',
      error,
      result: { message: 'nobody answered' },
    });
    const done = { call_id: 'c1', result: { message: 'ok' } };
    expect(toV1(from('app', 'tool.result', done), 'agent', address)?.payload).toBe(done);
  });

  it('what it said itself does not come back', () => {
    expect(toV1(from('agent', 'text', { content: 'x' }), 'agent', address)).toBeNull();
  });
});

it.each(['agent', 'app'] as const)('of all types of the contract a v1 %s gets those of its document alone', (role) => {
  const payload = { name: 'n', file_id: 'fl_1', message: 'm', content: 'c', tools: [] };
  const sender = role === 'app' ? 'agent' : 'app';
  const types = [...MESSAGE_TYPES.keys(), 'system.welcome', 'system.ack', 'system.error', 'system.pong'];
  const given = new Set(types.flatMap((type) => toV1(from(sender, type, payload), role, address)?.type ?? []));
  const expected =
    role === 'app' ? ['image', 'system.pong', 'text', 'tool.call', 'tool.list'] : ['image', 'system.pong', 'text', 'tool.list', 'tool.result'];
  expect([...given].toSorted()).toEqual(expected);
});
