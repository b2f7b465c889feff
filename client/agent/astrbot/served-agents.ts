/** What a server of AstrBot's ACP offers: agents by name and capability. Here they are the paired devices and the LineUp agent itself. */
import type { Json, JsonObject } from '../../../src/protocol/json.ts';
import { describeTools, TOOLS, type ToolName } from '../../../src/protocol/tools.ts';
import type { CallEnding, ConversationLines, ToolRequest } from '../acp/conversation-lines.ts';
import type { Device } from '../devices.ts';
import { ACP_CODES, RpcError } from './json-rpc.ts';

/** How an action ended. Only `success` has data. */
export type ActionOutcome =
  | { status: 'success'; data: JsonObject }
  | { status: 'rejected' | 'cancelled' | 'expired' | 'unsupported' | 'failed'; error: { code: string; message: string } };

/** How an action is called. */
export interface ActionCall {
  args: JsonObject;
  signal: AbortSignal;
  /** Gets what is known before the end. */
  onChunk: (chunk: JsonObject) => void;
}

/** An agent that callers see. */
export interface ServedAgent {
  name: string;
  description: string;
  capabilities: string[];
  status: 'online' | 'offline';
  /** Definitions of its actions, as far as they are known. */
  actions: Json[];
  /** @throws RpcError for an action that it does not have */
  call(action: string, call: ActionCall): Promise<ActionOutcome>;
  /** Takes a message for its user. @throws RpcError when there is no such conversation */
  receive(text: string, conversationId?: string): Promise<JsonObject>;
}

/** The agent that stands for whichever device answers first. */
export const ANY_DEVICE = 'phone';
/** The LineUp agent itself. */
export const SELF = 'lineup';

const STATUS_OF_CODE: ReadonlyMap<string, Exclude<ActionOutcome['status'], 'success'>> = new Map([
  ['rejected', 'rejected'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
  ['unknown_tool', 'unsupported'],
  ['unknown_action', 'unsupported'],
]);

/** The agents of one conversation, as they are now. */
export function servedAgents(lines: ConversationLines, conversationId: string, agentName: string): ServedAgent[] {
  const devices = lines.devices(conversationId);
  const names = new Set([ANY_DEVICE, SELF]);
  const named = devices.map((device) => deviceAgent(lines, conversationId, [device], uniqueName(device.name, names), device.id));
  return [deviceAgent(lines, conversationId, devices, ANY_DEVICE), selfAgent(lines, conversationId, agentName), ...named];
}

function uniqueName(name: string, taken: Set<string>): string {
  const base =
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '') || 'device';
  let unique = base;
  for (let n = 2; taken.has(unique); n++) unique = `${base}-${n}`;
  taken.add(unique);
  return unique;
}

function deviceAgent(lines: ConversationLines, conversationId: string, devices: readonly Device[], name: string, deviceId?: string): ServedAgent {
  const told = devices.flatMap(({ tools }) => tools ?? []);
  // Of a device that never told, what every device has is assumed.
  const known = told.length > 0 ? [...new Map(told.map((tool) => [tool.name, tool])).values()] : null;
  const tools = known?.map((tool) => tool.name) ?? Object.keys(TOOLS);
  return {
    name,
    description: deviceId === undefined ? 'The paired devices: whichever answers first' : `The paired device "${devices[0]?.name ?? name}"`,
    capabilities: tools,
    status: devices.some(({ online }) => online) ? 'online' : 'offline',
    actions: [
      ...(describeTools(tools.filter((tool): tool is ToolName => Object.hasOwn(TOOLS, tool))) as unknown as Json[]),
      ...(known ?? [])
        .filter((tool) => !Object.hasOwn(TOOLS, tool.name))
        .map(({ name: tool, type, description, actions }) => ({
          name: tool,
          type,
          description,
          actions: actions.map((action) => ({ name: action })),
        })),
    ],
    async call(action, { args, signal, onChunk }) {
      const request = toolRequest(action, args, tools);
      if (!request)
        throw new RpcError(ACP_CODES.invalidParams, `Invalid params: ${name} has no action "${action.slice(0, 100)}"`, { actions: tools });
      const ending = await lines.call(conversationId, request, {
        signal,
        ...(deviceId !== undefined && { deviceId }),
        onProgress: ({ percent, message }) => onChunk({ ...(percent !== undefined && { percent }), ...(message !== undefined && { message }) }),
      });
      return outcomeOf(ending);
    },
    receive: async (content, wanted = conversationId) => say(lines, wanted, content),
  };
}

function selfAgent(lines: ConversationLines, conversationId: string, name: string): ServedAgent {
  const actions: Record<string, (args: JsonObject) => Promise<JsonObject>> = {
    send_text: ({ text }) => {
      if (typeof text !== 'string' || text === '') throw new RpcError(ACP_CODES.invalidParams, 'Invalid params: args.text: expected a text');
      return say(lines, conversationId, text);
    },
    set_status: async ({ state, detail }) => {
      const known = (['idle', 'thinking', 'working', 'waiting', 'error'] as const).find((each) => each === state);
      if (!known) throw new RpcError(ACP_CODES.invalidParams, 'Invalid params: args.state: expected idle, thinking, working, waiting or error');
      await lines.send(conversationId, 'status', { state: known, ...(typeof detail === 'string' && { detail }) });
      return {};
    },
    devices: async () => ({
      devices: lines.devices(conversationId).map(({ id, name: device, online }) => ({ device_id: id, name: device, online })),
    }),
    conversations: async () => ({ conversations: lines.conversationIds }),
  };
  return {
    name: SELF,
    description: `The LineUp agent "${name}"`,
    capabilities: Object.keys(actions),
    status: 'online',
    actions: Object.keys(actions).map((action) => ({ name: action })),
    async call(action, { args }) {
      const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
      if (!act)
        throw new RpcError(ACP_CODES.invalidParams, `Invalid params: ${SELF} has no action "${action.slice(0, 100)}"`, {
          actions: Object.keys(actions),
        });
      return { status: 'success', data: await act(args) };
    },
    receive: async (content, wanted = conversationId) => say(lines, wanted, content),
  };
}

async function say(lines: ConversationLines, conversationId: string, content: string): Promise<JsonObject> {
  if (!lines.conversationIds.includes(conversationId)) {
    throw new RpcError(ACP_CODES.invalidParams, 'Invalid params: conversation_id: there is no such conversation');
  }
  const { id } = await lines.send(conversationId, 'text', { content, format: 'markdown' });
  return { message_id: id, conversation_id: conversationId };
}

/** `choice`, `choice.select`, `calculator.add`, `calculator/add`, `calculator_add`; null for what no tool is called. */
export function toolRequest(action: string, args: JsonObject, tools: readonly string[]): ToolRequest | null {
  const exact = tools.find((tool) => tool === action);
  if (exact !== undefined) {
    const only =
      Object.hasOwn(TOOLS, exact) && TOOLS[exact as ToolName].type === 'action' ? Object.keys(TOOLS[exact as ToolName].actions)[0] : undefined;
    return { name: exact, ...(only !== undefined && { action: only }), arguments: args };
  }
  // The longest name first: one tool's name may begin another's.
  const tool = tools.toSorted((a, b) => b.length - a.length).find((each) => action.startsWith(each) && /^[./_]./.test(action.slice(each.length)));
  return tool === undefined ? null : { name: tool, action: action.slice(tool.length + 1), arguments: args };
}

function outcomeOf({ result, error }: CallEnding): ActionOutcome {
  if (result) return { status: 'success', data: result as JsonObject };
  const { code = 'failed', message = 'The device gave no result.' } = error ?? {};
  if (code === 'too_many') throw new RpcError(ACP_CODES.agentBusy, 'Agent busy: too many questions are open');
  if (code === 'invalid_arguments') throw new RpcError(ACP_CODES.invalidParams, `Invalid params: ${message}`);
  return { status: STATUS_OF_CODE.get(code) ?? 'failed', error: { code, message } };
}
