/** A conversation as JSON: the envelopes as the relay keeps them, for programs. */
import type { Delivered } from '../../../src/protocol/envelope.ts';
import type { About } from './about.ts';
import { withoutSecrets } from './secrets.ts';

export function asJson(messages: readonly Delivered[], { agent, relay, conversation, exportedAt }: About): string {
  return `${JSON.stringify({ format: 'lineup-conversation', version: 1, exported_at: exportedAt, relay, agent, conversation, messages: withoutSecrets(messages) }, null, 2)}\n`;
}
