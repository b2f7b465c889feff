import { describe, expect, it } from 'vitest';
import { bundleIntegrity } from '../../../src/protocol/bundle.ts';
import { SurfaceGate } from './gate.ts';
import { Grants } from './grants.ts';

const APP = { id: 'com.example.board', name: 'Board', version: '1.0.0', html: '<p>one' };
const gate = () => new SurfaceGate(new Grants(), (id) => Promise.resolve(id === 'com.lineup.own' ? { html: 'own', css: '', js: '' } : null));

async function agree(door: SurfaceGate, agentId: string, app: typeof APP): Promise<void> {
  const verdict = await door.judge(agentId, app);
  if (verdict.is !== 'asked') throw new Error(verdict.is);
  await door.agree(agentId, app, verdict.hash);
}

describe('a bundle that an agent sent', () => {
  it('is asked about once for each agent and hash', async () => {
    const door = gate();
    await agree(door, 'ag_1', APP);
    expect(await door.judge('ag_1', APP)).toEqual({ is: 'shown', bundle: { html: '<p>one', css: '', js: '' } });
    expect((await door.judge('ag_2', APP)).is).toBe('asked');
    expect((await door.judge('ag_1', { ...APP, version: '1.0.1', html: '<p>two' })).is).toBe('asked');
  });

  it('is asked about again under another name', async () => {
    const door = gate();
    await agree(door, 'ag_1', APP);
    expect((await door.judge('ag_1', { ...APP, id: 'com.example.bank' })).is).toBe('asked');
  });

  it('is refused when it is another than was agreed to under the same id and version', async () => {
    const door = gate();
    await agree(door, 'ag_1', APP);
    expect(await door.judge('ag_1', { ...APP, html: '<p>two' })).toEqual({ is: 'refused', why: 'changed' });
    expect((await door.judge('ag_1', APP)).is).toBe('shown');
  });

  it('is refused when it is not what its integrity says', async () => {
    const door = gate();
    const integrity = await bundleIntegrity({ html: APP.html, css: '', js: '' });
    expect((await door.judge('ag_1', { ...APP, integrity } as typeof APP)).is).toBe('asked');
    for (const wrong of [integrity.replace('sha256-', 'sha384-'), '', integrity.toLowerCase()]) {
      expect(await door.judge('ag_1', { ...APP, integrity: wrong } as typeof APP)).toEqual({ is: 'refused', why: 'integrity' });
    }
  });
});

describe('an app that is named alone', () => {
  const named = { id: 'com.lineup.own', name: 'Own', version: '1.0.0' };

  it('is the host’s own, and shown without a question', async () => {
    expect(await gate().judge('ag_1', named)).toMatchObject({ is: 'shown', bundle: { html: 'own' } });
    expect((await gate().judge('ag_1', { ...named, integrity: 'sha256-x' })).is).toBe('refused');
  });

  it('is refused when it is not here', async () => {
    expect(await gate().judge('ag_1', { ...named, id: 'com.example.other' })).toEqual({ is: 'refused', why: 'missing' });
  });
});
