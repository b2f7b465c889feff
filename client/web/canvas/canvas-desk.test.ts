import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Payloads } from '../../../src/protocol/messages.ts';
import type { CanvasCall } from '../../../src/protocol/tools.ts';
import { LocalStore } from '../store/local-store.ts';
import type { Board } from './board.ts';
import type { BoardStore } from './board-store.ts';
import { openCanvasDesk, type CanvasDesk } from './canvas-desk.ts';

/** A browser's database that outlives the desks of a test. */
class KeptBoards implements BoardStore {
  readonly boards = new Map<string, Board>();
  load = () => Promise.resolve([...this.boards.values()]);
  save = (board: Board) => Promise.resolve(void this.boards.set(board.instanceId, board));
  remove = (instanceId: string) => Promise.resolve(void this.boards.delete(instanceId));
}

let store: KeptBoards;
let sent: Payloads['tool.result'][];
let local: LocalStore;
let calls = 0;
beforeEach(() => {
  store = new KeptBoards();
  sent = [];
  local = new LocalStore(null);
});

/** A page: what it has in memory goes, what is kept stays. */
function page(): Promise<CanvasDesk> {
  const parts = {
    conversationId: 'cv_1',
    owner: 'me',
    local,
    isPending: (callId: string) => !sent.some(({ call_id }) => call_id === callId),
    send: (result: Payloads['tool.result']) => void sent.push(result),
  };
  return openCanvasDesk(parts, { store, schedule: (run) => run(), now: () => calls, supported: (color) => color !== 'rouge' });
}

async function does(desk: CanvasDesk, call: CanvasCall, { callId = `c${++calls}`, mineAlone = true } = {}): Promise<Payloads['tool.result']> {
  await desk.take({ callId, call, mineAlone });
  return sent.at(-1)!;
}

async function opened(desk: CanvasDesk): Promise<string> {
  const { result } = await does(desk, { action: 'open', arguments: { width: 100, height: 50 } });
  return String(result?.instance_id);
}

const draw = (instance_id: string, path: string, more: { color?: string; width?: number } = {}): CanvasCall => ({
  action: 'draw',
  arguments: { instance_id, path, ...more },
});
const svg = async (desk: CanvasDesk, instance_id: string) => (await does(desk, { action: 'snapshot', arguments: { instance_id } })).result?.svg;

describe('a board', () => {
  it('has a name that its result says, and is on the screen', async () => {
    const desk = await page();
    const id = await opened(desk);
    expect(sent[0]).toMatchObject({ name: 'canvas', action: 'open', result: { message: `instance_id: ${id}`, instance_id: id } });
    expect(id).toMatch(/^inst_\w+$/);
    expect(desk.view.get()).toMatchObject({ active: id, whole: false, open: [{ width: 100, height: 50 }] });
  });

  it('is drawn on by both, and either takes back what is newest', async () => {
    const desk = await page();
    const id = await opened(desk);
    await does(desk, draw(id, 'M0,0 10,10', { color: '#fff', width: 2 }));
    desk.draw(id, { path: 'M1 1l0 0', color: 'red', width: 3 });
    const lines = ['<path d="M0 0L10 10" stroke="#fff" stroke-width="2"/>', '<path d="M1 1l0 0" stroke="red" stroke-width="3"/>'];
    expect(await svg(desk, id)).toContain(lines.join(''));
    await does(desk, { action: 'undo', arguments: { instance_id: id } });
    expect(await svg(desk, id)).not.toContain(lines[1]);
    desk.clear(id);
    expect(await svg(desk, id)).not.toContain('<path');
  });

  it('refuses what is no path and no colour, and says which field', async () => {
    const desk = await page();
    const id = await opened(desk);
    expect((await does(desk, draw(id, 'M0 0"/><script>'))).error).toEqual({
      code: 'invalid_arguments',
      message: 'arguments.path: expected a command of SVG path data at 4',
    });
    for (const color of ['rouge', 'red"/>', 'var(--ink)', 'inherit', 'rgb(0 0 0 /*"*/)', 'url(x)']) {
      expect((await does(desk, draw(id, 'M0 0', { color }))).error).toMatchObject({
        code: 'invalid_arguments',
        message: expect.stringContaining('arguments.color') as string,
      });
    }
    for (const color of ['red', '#12345678', 'rgb(0 0 0 / 50%)', 'oklch(0.5 0.1 200)'])
      expect((await does(desk, draw(id, 'M0 0', { color }))).error).toBeUndefined();
  });

  it('that nobody opened cannot be drawn on', async () => {
    expect((await does(await page(), draw('inst_x', 'M0 0'))).error?.code).toBe('execution_error');
  });

  it('that the user closed is closed for the agent, also after a reload', async () => {
    const desk = await page();
    const id = await opened(desk);
    desk.close(id);
    expect(desk.view.get().open).toEqual([]);
    const refused = { code: 'execution_error', message: expect.stringContaining('closed') as string };
    expect((await does(desk, draw(id, 'M0 0'))).error).toEqual(refused);
    expect((await does(await page(), { action: 'snapshot', arguments: { instance_id: id } })).error).toEqual(refused);
  });

  it('outlives the page', async () => {
    const desk = await page();
    const id = await opened(desk);
    await does(desk, draw(id, 'M0 0L5 5'));
    expect(await svg(await page(), id)).toContain('M0 0L5 5');
    expect(local.read('canvas.cv_1')).toBe('1');
  });

  it('is changed once by a call that is heard again after a crash', async () => {
    const id = await opened(await page());
    for (const action of [draw(id, 'M0 0L5 5'), draw(id, 'M1 1')]) {
      await does(await page(), action, { callId: `twice-${calls}` });
      sent.pop();
      await does(await page(), action, { callId: `twice-${calls}` });
      calls++;
    }
    expect(store.boards.get(id)?.strokes).toHaveLength(2);
    await does(await page(), { action: 'close', arguments: { instance_id: id } }, { callId: 'end' });
    sent.pop();
    expect((await does(await page(), { action: 'close', arguments: { instance_id: id } }, { callId: 'end' })).result?.message).toBe('closed');
  });

  it('that another device opened for the same call is not kept', async () => {
    const desk = await page();
    const id = await opened(desk);
    desk.lost(sent[0]!.call_id);
    expect(desk.view.get()).toMatchObject({ open: [], active: null });
    await vi.waitFor(() => expect(store.boards.has(id)).toBe(false));
  });

  it('that is unknown may be another device’s, which answers first', async () => {
    vi.useFakeTimers();
    try {
      const desk = await page();
      const taken = desk.take({ callId: 'theirs', call: draw('inst_y', 'M0 0'), mineAlone: false });
      await vi.advanceTimersByTimeAsync(1_000);
      sent.push({ name: 'canvas', call_id: 'theirs', result: { message: 'drawn' } });
      await vi.advanceTimersByTimeAsync(2_000);
      await taken;
      expect(sent).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
