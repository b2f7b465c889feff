/** Every message a client may send (§5): its payload, who may send it, and what the relay does with it. */
import { z } from 'zod';
import { appId, capabilityName, eventName, id, semver, toolName } from './ids.ts';
import { appList, inventory } from './inventory.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { MAX_TEXT_CHARACTERS } from './limits.ts';

/** Who takes part: the agent, a device ("app"), or the relay itself as the maker of a frame. */
export type ParticipantKind = 'agent' | 'app';

/** What becomes of a message (§5). Control frames are answered by the relay and never stored. */
export type MessageClass = 'logged' | 'kept' | 'ephemeral' | 'control';

const characters = (max: number) =>
  z.string().refine((text) => text.length <= max || (text.length <= max * 2 && [...text].length <= max), `expected at most ${max} characters`);

// What JSON.parse made needs no second walk: the values inside are JSON already, and any of them is allowed.
const object = z.custom<JsonObject>(isJsonObject, 'expected object');
const runId = z.string().min(1).max(256);
const percent = z.number().min(0).max(100);
const count = z.number().int().min(0);

const fields = {
  instance_id: id,
  call_id: id,
  message_id: id,
  expires_at: z.iso.datetime({ offset: true, error: 'expected an ISO 8601 time such as 2026-01-01T00:00:00Z' }),
};

const text = z.looseObject({
  content: z.string().min(1, 'expected at least 1 character').and(characters(MAX_TEXT_CHARACTERS)),
  format: z.enum(['markdown', 'plain']).optional(),
  reply_to: id.optional(),
});

const textDelta = z.looseObject({ message_id: fields.message_id, offset: count, delta: z.string() });
const textEdit = z.looseObject({ message_id: fields.message_id, content: text.shape.content });

const image = z.looseObject({
  url: z.string().min(1),
  alt: z.string().optional(),
  caption: z.string().optional(),
  file_id: z.string().min(1).max(128).optional(),
});

const file = z.looseObject({
  file_id: z.string().min(1).max(128),
  name: z.string().min(1).max(1024),
  mime_type: z.string().min(1).max(256),
  size: count,
});

const status = z.looseObject({
  state: z.enum(['idle', 'thinking', 'working', 'waiting', 'error']),
  detail: z.string().optional(),
  run_id: runId.optional(),
});

const progress = z.looseObject({ run_id: runId, percent: percent.optional(), message: z.string().optional() });

const agentError = z.looseObject({
  code: z.string().min(1).max(128),
  message: z.string(),
  run_id: runId.optional(),
  retryable: z.boolean().optional(),
});

const agentEvent = z.looseObject({ event: z.string().min(1).max(128), data: object });
const runCancel = z.looseObject({ run_id: runId.optional() });

const toolDefinition = z.looseObject({ name: toolName, type: z.enum(['app', 'toolset', 'action']) });
/** What a device answers to `tool.list`; the agent's question is an empty object. */
const toolListAnswer = z.looseObject({ tools: z.array(toolDefinition).max(1024), reply_to: id.optional() });
const toolListQuestion = z.looseObject({});

const toolCall = z.looseObject({
  name: toolName,
  action: toolName.optional(),
  call_id: fields.call_id,
  arguments: object,
  expires_at: fields.expires_at.optional(),
});

const failure = z.looseObject({ code: z.string().min(1).max(128), message: z.string() });

const toolResult = z
  .looseObject({
    name: toolName,
    action: toolName.optional(),
    call_id: fields.call_id,
    result: z.looseObject({ message: z.string() }).optional(),
    error: failure.optional(),
  })
  .refine((payload) => (payload.result === undefined) !== (payload.error === undefined), 'expected either result or error');

const toolProgress = z.looseObject({ call_id: fields.call_id, percent: percent.optional(), message: z.string().optional() });
const cancel = z.looseObject({ call_id: fields.call_id });

const surfaceApp = z.looseObject({
  id: appId,
  name: z.string().min(1).max(256),
  version: semver,
  integrity: z.string().max(256).optional(),
  html: z.string().optional(),
  css: z.string().optional(),
  js: z.string().optional(),
});

const uiOpen = z.looseObject({
  instance_id: fields.instance_id,
  app: surfaceApp,
  state: object,
  expected_revision: z.string().max(128).optional(),
});

const noBundleInPatch = z.undefined({ error: 'a patch changes state only; open the instance again to change its code' }).optional();
const bundleFields = { html: noBundleInPatch, css: noBundleInPatch, js: noBundleInPatch, app: noBundleInPatch };
const uiPatch = z.looseObject({ instance_id: fields.instance_id, state: object, ...bundleFields });
const uiClose = z.looseObject({ instance_id: fields.instance_id, reason: z.string().optional() });
const uiEvent = z.looseObject({ instance_id: fields.instance_id, event: eventName, data: object });

const appCall = z.looseObject({
  call_id: fields.call_id,
  capability: capabilityName,
  reason: z.string(),
  expires_at: fields.expires_at.optional(),
  arguments: object,
});

/** How an `app.call` can end (§6). */
export const appStatus = z.enum(['completed', 'rejected', 'cancelled', 'expired', 'unsupported', 'failed']);

const appResult = z.looseObject({
  call_id: fields.call_id,
  status: appStatus,
  result: object.optional(),
  error: z.looseObject({ code: z.string().min(1).max(128), message: z.string().optional() }).optional(),
});

/** One type of §5. */
export interface MessageType {
  class: MessageClass;
  /** Who may send it. */
  from: readonly ParticipantKind[];
  /** Payload by sender; one schema when both send the same. */
  payload: z.ZodType | Record<ParticipantKind, z.ZodType>;
  /** What the relay still needs of a sealed payload (the fields marked ● in §5); absent: nothing. */
  routing?: z.ZodType;
  /** An untargeted one of a device reaches the user's other devices too (§2). */
  toOtherDevices?: true;
}

const both = ['agent', 'app'] as const;
const agent = ['agent'] as const;
const app = ['app'] as const;

const pick = <T extends z.core.$ZodLooseShape>(schema: z.ZodObject<T, z.core.$loose>, ...keys: (keyof T & string)[]) =>
  z.looseObject(Object.fromEntries(keys.map((key) => [key, schema.shape[key] as z.ZodType])));

const control = z.looseObject({});

/** Canonical spelling → type. The three parts of a type that the relay treats differently are all in this table. */
export const MESSAGE_TYPES: ReadonlyMap<string, MessageType> = new Map<string, MessageType>([
  ['system.hello', { class: 'control', from: both, payload: control }],
  ['system.ping', { class: 'control', from: both, payload: control }],
  ['system.received', { class: 'control', from: both, payload: z.looseObject({ seq: count }) }],
  ...['pong', 'welcome', 'synced', 'ack', 'error', 'receipt', 'presence', 'paired', 'revoked', 'conversation', 'settled'].map(
    (name): [string, MessageType] => [`system.${name}`, { class: 'control', from: [], payload: control }],
  ),
  ['text', { class: 'logged', from: both, payload: text, toOtherDevices: true }],
  ['text.delta', { class: 'ephemeral', from: agent, payload: textDelta, routing: pick(textDelta, 'message_id', 'offset') }],
  ['text.edit', { class: 'logged', from: agent, payload: textEdit, routing: pick(textEdit, 'message_id') }],
  ['image', { class: 'logged', from: both, payload: image, toOtherDevices: true }],
  ['file', { class: 'logged', from: both, payload: file, routing: pick(file, 'file_id'), toOtherDevices: true }],
  ['status', { class: 'kept', from: agent, payload: status }],
  ['progress', { class: 'ephemeral', from: agent, payload: progress }],
  ['error', { class: 'logged', from: agent, payload: agentError }],
  ['agent.event', { class: 'ephemeral', from: agent, payload: agentEvent, routing: pick(agentEvent, 'event') }],
  ['run.cancel', { class: 'logged', from: app, payload: runCancel }],
  ['tool.list', { class: 'kept', from: both, payload: { agent: toolListQuestion, app: toolListAnswer } }],
  ['tool.call', { class: 'logged', from: agent, payload: toolCall, routing: pick(toolCall, 'name', 'action', 'call_id', 'expires_at') }],
  ['tool.result', { class: 'logged', from: app, payload: toolResult, routing: pick(toolResult, 'call_id') }],
  ['tool.progress', { class: 'ephemeral', from: app, payload: toolProgress, routing: pick(toolProgress, 'call_id') }],
  ['tool.cancel', { class: 'logged', from: agent, payload: cancel, routing: cancel }],
  [
    'lineup.v1.ui.open',
    {
      class: 'logged',
      from: agent,
      payload: uiOpen,
      routing: z.looseObject({ instance_id: fields.instance_id, app: z.looseObject({ id: appId }) }),
    },
  ],
  [
    'lineup.v1.ui.patch',
    { class: 'logged', from: agent, payload: uiPatch, routing: z.looseObject({ instance_id: fields.instance_id, ...bundleFields }) },
  ],
  ['lineup.v1.ui.close', { class: 'logged', from: agent, payload: uiClose, routing: pick(uiClose, 'instance_id') }],
  ['lineup.v1.ui.event', { class: 'logged', from: app, payload: uiEvent, routing: pick(uiEvent, 'instance_id', 'event') }],
  ['lineup.v1.client.inventory', { class: 'kept', from: app, payload: inventory, routing: inventory }],
  ['lineup.v1.app.list', { class: 'kept', from: app, payload: appList }],
  ['lineup.v1.app.call', { class: 'logged', from: agent, payload: appCall, routing: pick(appCall, 'call_id', 'capability', 'expires_at') }],
  ['lineup.v1.app.result', { class: 'logged', from: app, payload: appResult, routing: pick(appResult, 'call_id', 'status') }],
  ['lineup.v1.app.cancel', { class: 'logged', from: agent, payload: cancel, routing: cancel }],
]);

const PREFIX = 'lineup.v1.';
const spellings = new Map<string, string>();
for (const canonical of MESSAGE_TYPES.keys()) {
  spellings.set(canonical, canonical);
  spellings.set(canonical.startsWith(PREFIX) ? canonical.slice(PREFIX.length) : PREFIX + canonical, canonical);
}

/** The canonical spelling of a type, for either of its two spellings; undefined for a type that does not exist (§2). */
export function canonicalType(type: string): string | undefined {
  return spellings.get(type);
}

/** Payloads by canonical type, for those who build or read them. */
export interface Payloads {
  text: z.infer<typeof text>;
  'text.delta': z.infer<typeof textDelta>;
  'text.edit': z.infer<typeof textEdit>;
  image: z.infer<typeof image>;
  file: z.infer<typeof file>;
  status: z.infer<typeof status>;
  progress: z.infer<typeof progress>;
  error: z.infer<typeof agentError>;
  'agent.event': z.infer<typeof agentEvent>;
  'run.cancel': z.infer<typeof runCancel>;
  'tool.list': z.infer<typeof toolListQuestion> | z.infer<typeof toolListAnswer>;
  'tool.call': z.infer<typeof toolCall>;
  'tool.result': z.infer<typeof toolResult>;
  'tool.progress': z.infer<typeof toolProgress>;
  'tool.cancel': z.infer<typeof cancel>;
  'lineup.v1.ui.open': z.infer<typeof uiOpen>;
  'lineup.v1.ui.patch': z.infer<typeof uiPatch>;
  'lineup.v1.ui.close': z.infer<typeof uiClose>;
  'lineup.v1.ui.event': z.infer<typeof uiEvent>;
  'lineup.v1.client.inventory': z.infer<typeof inventory>;
  'lineup.v1.app.list': z.infer<typeof appList>;
  'lineup.v1.app.call': z.infer<typeof appCall>;
  'lineup.v1.app.result': z.infer<typeof appResult>;
  'lineup.v1.app.cancel': z.infer<typeof cancel>;
}
