/** Whether a surface may be shown: its code is what its hash says, is no other than before under the same name, and the user knows it. */
import { bundleIntegrity, type Bundle } from '../../../src/protocol/bundle.ts';
import { Observable } from '../store/observable.ts';
import { bundleOf, type BundleSource } from './bundles.ts';
import { Grants } from './grants.ts';
import type { SurfaceApp } from './shelf.ts';

/** Why a surface is not shown, whatever the user wants. */
export type Refused =
  /** The code is not what `integrity` says. */
  | 'integrity'
  /** The user knows another code under this id and version. */
  | 'changed'
  /** It came without code, and this host has no such app. */
  | 'missing'
  /** The page was not served securely, so nothing can be checked. */
  | 'insecure';

export type Verdict = { is: 'shown'; bundle: Bundle } | { is: 'asked'; bundle: Bundle; hash: string } | { is: 'refused'; why: Refused };

/** See the file's head. One for the whole page. */
export class SurfaceGate {
  readonly #grants: Grants;
  readonly #bundleOf: BundleSource;
  #agreements = 0;
  /** How often the user agreed: another number means that verdicts may be others. */
  readonly agreements = new Observable(
    () => this.#agreements,
    (run) => run(),
  );

  constructor(grants = new Grants(), source: BundleSource = bundleOf) {
    this.#grants = grants;
    this.#bundleOf = source;
  }

  /** Judges what an agent opened. The host's own apps need no word of the user's beyond being enabled. */
  async judge(agentId: string, app: SurfaceApp): Promise<Verdict> {
    const sent = sentBundle(app);
    const bundle = sent ?? (await this.#bundleOf(app.id));
    if (!bundle) return { is: 'refused', why: 'missing' };
    if (!globalThis.isSecureContext && typeof window !== 'undefined') return { is: 'refused', why: 'insecure' };
    const hash = await bundleIntegrity(bundle);
    if (app.integrity !== undefined && app.integrity !== hash) return { is: 'refused', why: 'integrity' };
    if (!sent) return { is: 'shown', bundle };
    const known = await this.#grants.versionHash(agentId, app.id, app.version);
    if (known !== undefined && known !== hash) return { is: 'refused', why: 'changed' };
    return (await this.#grants.has(agentId, hash)) && known !== undefined ? { is: 'shown', bundle } : { is: 'asked', bundle, hash };
  }

  /** The user agreed to see this bundle of this agent, from now on. */
  async agree(agentId: string, app: SurfaceApp, hash: string): Promise<void> {
    await this.#grants.add(agentId, app, hash);
    this.#agreements += 1;
    this.agreements.flush();
  }
}

/** The page's gate. */
export const gate = new SurfaceGate();

/** The code that came with an open; null without html, which names an app alone (§5). */
function sentBundle({ html, css, js }: SurfaceApp): Bundle | null {
  return html === undefined ? null : { html, css: css ?? '', js: js ?? '' };
}
