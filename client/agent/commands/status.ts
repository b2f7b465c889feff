/** `lineup status`: how the agent, its devices and its conversations are. */
import { join } from 'node:path';
import { readRunner, type Runner } from '../agent-claim.ts';
import type { AddCommand, CommandLine } from '../command-line.ts';
import { localQueue, type LocalConversation } from '../local-state.ts';
import { oneLine } from '../terminal.ts';
import { typed } from '../typed-command.ts';
import { RelayError } from '../../core/errors.ts';
import type { RelayHttp } from '../../core/http.ts';
import type { AgentInfo, ConversationInfo, DeviceInfo } from '../../../src/protocol/http.ts';

interface ConversationStatus extends ConversationInfo, Pick<LocalConversation, 'cursor' | 'unsent'> {
  /** Questions that wait for an answer. */
  pending_calls: number;
}

interface Status {
  relay: string;
  relay_version: string;
  /** How long the relay took to answer, in ms. */
  ping_ms: number;
  agent_id: string;
  name: string;
  /** The process of this machine; null: none. */
  running: Runner | null;
  /** How the relay sees the agent; null: it is too old to tell. `last_seen` is when it was last heard: a message, a ping or its connection's end. */
  relay_view: Pick<AgentInfo, 'online' | 'last_seen'> | null;
  devices: DeviceInfo[];
  conversations: ConversationStatus[];
}

export const addStatus: AddCommand = (program, line) => {
  program
    .command('status')
    .summary("the relay's view: devices, conversations, what waits")
    .description('Shows what the relay says of the agent, when it heard it last, and what waits on this machine.')
    .addHelpText('after', '\nExamples:\n  $ lineup status\n  $ lineup status --json | jq .conversations[].unsent')
    .action(async () => {
      const status = await readStatus(line);
      line.terminal.result(status, describe(status, line));
    });
};

async function readStatus(line: CommandLine): Promise<Status> {
  const setup = await line.setup();
  const http = line.http(setup);
  const folder = join(setup.state, setup.agentId);
  const began = performance.now();
  const health = await http.health();
  const ping_ms = Math.round(performance.now() - began);
  const [devices, conversations, local, running, relay_view] = await Promise.all([
    http.devices(),
    http.conversations(),
    localQueue(folder),
    readRunner(folder),
    relayView(http),
  ]);
  return {
    relay: setup.relay,
    relay_version: health.version,
    ping_ms,
    agent_id: setup.agentId,
    name: setup.name,
    running,
    relay_view,
    devices,
    conversations: await Promise.all(conversations.map((each) => withQueue(each, local, http))),
  };
}

async function relayView(http: RelayHttp): Promise<Status['relay_view']> {
  try {
    const { online, last_seen } = await http.ownAgent();
    return { online, last_seen };
  } catch (error) {
    // A relay that does not know this call wants the owner key for it. Where the token is at fault, the other calls say so.
    if (error instanceof RelayError && error.status === 401) return null;
    throw error;
  }
}

async function withQueue(conversation: ConversationInfo, local: LocalConversation[], http: RelayHttp): Promise<ConversationStatus> {
  const { conversation_id: id } = conversation;
  const mine = local.find(({ conversationId }) => conversationId === id);
  const pending = (await http.audit(id, 100)).filter(({ status }) => status === 'pending').length;
  return { ...conversation, cursor: mine?.cursor ?? null, unsent: mine?.unsent ?? 0, pending_calls: pending };
}

function describe(status: Status, line: CommandLine): string {
  const { terminal } = line;
  const { running, relay_view: view } = status;
  const facts: [string, string][] = [
    ['relay', `${status.relay} (version ${status.relay_version}, ${status.ping_ms} ms)`],
    ['agent', `${oneLine(status.name)} (${status.agent_id})`],
    ['process', running ? `${terminal.paint('green', 'runs')} (${running.pid}, since ${running.since})` : 'none on this machine'],
  ];
  if (view) {
    const offline = `offline, ${view.last_seen === null ? 'never heard' : `last heard ${view.last_seen}`}`;
    facts.push(['heard', view.online ? terminal.paint('green', 'online') : offline]);
  }
  const devices = status.devices.map(({ name, platform, online, last_seen }) => [name, platform, online ? 'online' : (last_seen ?? 'never seen')]);
  const conversations = status.conversations.map((each) => [
    each.conversation_id,
    each.title ?? '',
    String(each.head_seq),
    String(each.cursor ?? '-'),
    String(each.unsent),
    String(each.pending_calls),
  ]);
  return [
    ...facts.map(([name, value]) => `${terminal.paint('dim', name.padEnd(8))} ${value}`),
    '',
    devices.length === 0 ? `No device is paired yet: ${typed('pair', line.named)}` : terminal.table(['DEVICE', 'PLATFORM', 'LAST SEEN'], devices),
    '',
    terminal.table(['CONVERSATION', 'TITLE', 'HEAD', 'READ', 'UNSENT', 'QUESTIONS'], conversations),
  ].join('\n');
}
