import { describe, expect, it } from 'vitest';
import type { Trouble } from '../store/trouble.ts';
import { Attachments } from './attachments.ts';

const OFFLINE: Trouble = { kind: 'offline' };
const REFUSED: Trouble = { kind: 'refused', code: 'forbidden', message: 'no', retryAfter: null };
const note = () => new File(['note'], 'note.txt', { type: 'text/plain' });

function scripted(limit = 100) {
  const uploads: string[] = [];
  const network: { trouble: Trouble | null } = { trouble: null };
  const attachments = new Attachments({
    upload: (blob) => {
      uploads.push(`${blob.size}`);
      if (network.trouble) return Promise.resolve({ ok: false, trouble: network.trouble });
      return Promise.resolve({ ok: true, file: { file_id: 'fl_1', url: '/v1/files/fl_1', size: blob.size } as never });
    },
    limit: () => limit,
    schedule: (run) => run(),
  });
  const states = () => attachments.view.get().map(({ state }) => state.name);
  return { attachments, uploads, network, states };
}

describe('attachments', () => {
  it('that could not reach the relay are uploaded by themselves when it is there again', async () => {
    const { attachments, network, states } = scripted();
    network.trouble = OFFLINE;
    await attachments.add([note(), note()]);
    await Promise.resolve();
    expect(states()).toEqual(['failed', 'failed']);
    network.trouble = null;
    attachments.online();
    await Promise.resolve();
    await Promise.resolve();
    expect(states()).toEqual(['ready', 'ready']);
  });

  it('that the relay refused wait for the user', async () => {
    const { attachments, network, uploads, states } = scripted();
    network.trouble = REFUSED;
    await attachments.add([note()]);
    await Promise.resolve();
    attachments.online();
    expect(uploads).toHaveLength(1);
    expect(states()).toEqual(['failed']);
  });

  it('that are too large are not even tried, and can be removed', async () => {
    const { attachments, uploads } = scripted(3);
    await attachments.add([note()]);
    expect(attachments.view.get()[0]?.state).toMatchObject({ name: 'failed', trouble: { kind: 'too-large', allowed: 3 } });
    expect(uploads).toEqual([]);
    attachments.remove(attachments.view.get()[0]?.id ?? 0);
    expect(attachments.view.get()).toEqual([]);
  });
});
