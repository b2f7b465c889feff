/**
 * An agent that speaks the Agent Client Protocol, made with the official SDK's agent side: run as a process by the tests of `lineup connect`.
 * What it does follows from the first word of the prompt.
 *
 * Arguments: `--resume`, `--load`: what it advertises; `--images`. `FIXTURE_SESSIONS` names a file in which it keeps its sessions.
 */
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type ContentBlock,
  type ElicitationSchema,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const flags = new Set(process.argv.slice(2));
const file = process.env.FIXTURE_SESSIONS;
/** What each session has heard. */
const sessions = new Map<string, string[]>(
  file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as [string, string[]][]) : [],
);
const cancelled = new Map<string, AbortController>();
let made = sessions.size;

function keep(): void {
  if (file !== undefined) writeFileSync(file, JSON.stringify([...sessions]));
}

function textOf(prompt: readonly ContentBlock[]): string {
  return prompt.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join(' ');
}

const FORM: ElicitationSchema = {
  type: 'object',
  properties: {
    city: {
      type: 'string',
      title: 'City',
      oneOf: [
        { const: 'ber', title: 'Berlin' },
        { const: 'par', title: 'Paris' },
      ],
    },
    nights: { type: 'integer', title: 'Nights', minimum: 1, maximum: 30 },
    name: { type: 'string', title: 'Name', maxLength: 40 },
    breakfast: { type: 'boolean', title: 'Breakfast' },
    extras: { type: 'array', title: 'Extras', items: { type: 'string', enum: ['bike', 'sauna'] } },
  },
  required: ['city', 'nights', 'name'],
};

const app = agent({ name: 'fixture' })
  .onRequest(methods.agent.initialize, ({ params }) => ({
    protocolVersion: flags.has('--future') ? 99 : PROTOCOL_VERSION,
    agentInfo: { name: 'fixture', title: 'Fixture', version: '1.0.0' },
    agentCapabilities: {
      loadSession: flags.has('--load'),
      promptCapabilities: { image: flags.has('--images') },
      sessionCapabilities: flags.has('--resume') ? { resume: {} } : {},
      _meta: { elicitation: params.clientCapabilities?.elicitation ?? null },
    },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (flags.has('--signed-out')) throw RequestError.authRequired(undefined, 'run "fixture login" in a terminal');
    const sessionId = `session_${++made}`;
    sessions.set(sessionId, [`cwd ${params.cwd} mcp ${params.mcpServers.length}`]);
    keep();
    return { sessionId };
  })
  .onRequest(methods.agent.session.resume, ({ params }) => {
    if (!sessions.has(params.sessionId)) throw RequestError.resourceNotFound(params.sessionId);
    return {};
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    const heard = sessions.get(params.sessionId);
    if (!heard) throw RequestError.resourceNotFound(params.sessionId);
    for (const text of heard) {
      await client.notify(methods.client.session.update, {
        sessionId: params.sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `REPLAYED ${text}` } },
      });
    }
    return {};
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => cancelled.get(params.sessionId)?.abort())
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const text = textOf(prompt);
    const heard = sessions.get(sessionId) ?? [];
    heard.push(text);
    keep();
    const controller = new AbortController();
    cancelled.set(sessionId, controller);
    const update = (change: SessionUpdate) => client.notify(methods.client.session.update, { sessionId, update: change });
    const say = (words: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });
    switch (text.split(' ')[0]) {
      case 'permission': {
        await update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'rm -rf build', kind: 'delete', status: 'pending' });
        const options = [
          { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
          ...(text.includes('always') ? [{ optionId: 'always', name: 'Always allow', kind: 'allow_always' as const }] : []),
          { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
        ];
        const { outcome } = await client.request<RequestPermissionResponse>(methods.client.session.requestPermission, {
          sessionId,
          toolCall: { toolCallId: 't1', title: 'rm -rf build', kind: 'delete', rawInput: { command: 'rm -rf build' } },
          options,
        });
        if (controller.signal.aborted) return { stopReason: 'cancelled' };
        await update({
          sessionUpdate: 'tool_call_update',
          toolCallId: 't1',
          status: 'completed',
          content: [{ type: 'content', content: { type: 'text', text: 'removed' } }],
        });
        await say(`outcome: ${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome}`);
        return { stopReason: 'end_turn' };
      }
      case 'form': {
        const answer = await client.request(methods.client.elicitation.create, {
          sessionId,
          mode: 'form',
          message: 'Your trip',
          requestedSchema: FORM,
        });
        await say(`form: ${JSON.stringify(answer)}`);
        return { stopReason: 'end_turn' };
      }
      case 'work':
        await update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Let me think about the tests' } });
        await update({ sessionUpdate: 'plan', entries: [{ content: 'Read the tests', priority: 'high', status: 'in_progress' }] });
        await say('First part.');
        await update({ sessionUpdate: 'tool_call', toolCallId: 't2', title: 'Read tests', kind: 'read', status: 'in_progress' });
        await update({ sessionUpdate: 'tool_call_update', toolCallId: 't2', status: 'completed' });
        for (const word of ['Second ', 'part ', 'comes ', 'slowly.']) {
          await say(word);
          await delay(120);
        }
        return { stopReason: 'end_turn' };
      case 'long':
        for (let i = 0; i < 600 && !controller.signal.aborted; i++) {
          await say(`${i} `);
          await delay(20);
        }
        return { stopReason: controller.signal.aborted ? 'cancelled' : 'end_turn' };
      case 'die':
        await say('Just a mom');
        await delay(100);
        process.exit(7);
        break;
      case 'garbage':
        process.stdout.write('npm WARN something\n{"half": \n\u0000\u0001[1,2]\n');
        await say('still here');
        return { stopReason: 'end_turn' };
      case 'background':
        setTimeout(() => void say('By the way, ').then(() => say('it is done.')), 300);
        await say('I go on in the background.');
        return { stopReason: 'end_turn' };
      case 'fail':
        throw RequestError.internalError({ details: 'the model is overloaded' });
      case 'refuse':
        return { stopReason: 'refusal' };
      default:
        await say(`heard: ${heard.join(' | ')}`);
        return { stopReason: 'end_turn' };
    }
    return { stopReason: 'end_turn' };
  });

process.stderr.write('fixture: a line on stderr\n');
if (flags.has('--chatty')) process.stdout.write('Welcome to the fixture!\n');
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
