/** Shows a pairing link and its QR code in the terminal, and what becomes of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { renderUnicodeCompact } from 'uqr';
import type { RelayHttp } from '../client/core/http.ts';

const LINK_TTL_S = 3_600;
const LOOK_EVERY_MS = 2_000;

/** The invitation on the screen: one at a time, the newest. */
export class PairingInvitation {
  readonly #http: RelayHttp;
  readonly #say: (text: string) => void;
  readonly #interactive: boolean;
  #shown = 0;

  /** @param interactive whether somebody can press Enter for another link; without, each used or expired one is replaced by itself */
  constructor(http: RelayHttp, say: (text: string) => void, interactive: boolean) {
    this.#http = http;
    this.#say = say;
    this.#interactive = interactive;
  }

  /** Makes a link, shows it, and follows it until it is used, runs out, or another takes its place. */
  async show(): Promise<void> {
    const turn = ++this.#shown;
    const { pairing_id, url } = await this.#http.createPairing({ ttl_s: LINK_TTL_S });
    if (turn !== this.#shown) return;
    this.#say(
      `\nOpen this link to chat with the demo agent. It works once, within an hour:\n\n  ${url}\n\n${renderUnicodeCompact(url, { border: 2 })}\n`,
    );
    for (;;) {
      await sleep(LOOK_EVERY_MS, undefined, { ref: false });
      if (turn !== this.#shown) return;
      const { state, device } = await this.#http.pairing(pairing_id);
      if (state === 'pending' || turn !== this.#shown) continue;
      this.#say(state === 'redeemed' ? `Paired: ${device?.name ?? 'a device'}.` : 'The link ran out.');
      if (!this.#interactive) return this.show();
      return this.#say('Press Enter for another link.');
    }
  }
}
