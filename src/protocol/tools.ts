/** The tools every device has (§11): their arguments and results as schemas, and the definitions that `tool.list` answers. */
import { z } from 'zod';
import { describeIssue } from './envelope.ts';
import type { Json, JsonObject } from './json.ts';

// A page's Content-Security-Policy forbids eval, which zod would otherwise try for speed.
z.config({ jitless: true });

const said = z.string().describe('What happened, in words');
const label = z.string().min(1, 'expected at least 1 character');
const instanceId = z.string().min(1).max(128).describe('The instance that open answered');

const choiceArguments = z.object({
  question: label.describe('What to ask the user'),
  options: z.array(label).min(1, 'expected at least 1 option').max(50, 'expected at most 50 options').describe('What the user can choose from'),
  multiple: z.boolean().optional().describe('Whether several options may be chosen'),
  allow_other: z.boolean().optional().describe('Whether the user may write an answer of their own'),
});

const confirmArguments = z.object({
  question: label.describe('What to ask the user'),
  confirm_label: label.optional().describe('The label of the button that agrees'),
  cancel_label: label.optional().describe('The label of the button that declines'),
  danger: z.boolean().optional().describe('Whether agreeing cannot be undone'),
});

const inputArguments = z.object({
  question: label.describe('What to ask the user'),
  placeholder: z.string().optional().describe('Shown while the field is empty'),
  default: z.string().optional().describe('What the field holds at first'),
  multiline: z.boolean().optional().describe('Whether the answer may have several lines'),
  secret: z.boolean().optional().describe('Whether the answer is hidden while it is typed'),
  max_length: z.number().int().min(1).optional().describe('Most characters the answer may have'),
});

const operands = z.object({ a: z.number(), b: z.number() });
const canvasSide = z.number().int().min(1).max(4096);
const canvasInstance = z.object({ instance_id: instanceId });

const message = z.looseObject({ message: said });
const calculated = z.looseObject({ message: said, value: z.number() });

/** One action of a tool: what it takes and what it answers. */
export interface ToolAction {
  description: string;
  arguments: z.ZodType;
  result: z.ZodType;
}

/** A tool as this contract knows it. A tool of type action has exactly one action. */
export interface Tool {
  type: 'app' | 'toolset' | 'action';
  description: string;
  actions: Readonly<Record<string, ToolAction>>;
}

const arithmetic = (description: string): ToolAction => ({ description, arguments: operands, result: calculated });

/** The tools of §11 by name. */
export const TOOLS = {
  choice: {
    type: 'action',
    description: 'Asks the user to choose among options',
    actions: {
      select: {
        description: 'Asks the user to choose among options',
        arguments: choiceArguments,
        result: z.looseObject({ message: said, selected: z.array(z.string()) }),
      },
    },
  },
  confirm: {
    type: 'action',
    description: 'Asks the user to agree or to decline',
    actions: {
      ask: {
        description: 'Asks the user to agree or to decline',
        arguments: confirmArguments,
        result: z.looseObject({ message: said, confirmed: z.boolean() }),
      },
    },
  },
  input: {
    type: 'action',
    description: 'Asks the user for a text',
    actions: {
      ask: { description: 'Asks the user for a text', arguments: inputArguments, result: z.looseObject({ message: said, value: z.string() }) },
    },
  },
  calculator: {
    type: 'toolset',
    description: 'Calculates on the device, without asking the user',
    actions: {
      add: arithmetic('a + b'),
      subtract: arithmetic('a - b'),
      multiply: arithmetic('a × b'),
      divide: arithmetic('a ÷ b'),
    },
  },
  canvas: {
    type: 'app',
    description: 'A drawing board on which the agent and the user draw together',
    actions: {
      open: {
        description: 'Opens a board and answers its instance_id',
        arguments: z.object({ width: canvasSide, height: canvasSide }),
        result: z.looseObject({ message: said, instance_id: instanceId }),
      },
      draw: {
        description: 'Draws one path',
        arguments: canvasInstance.extend({
          path: z.string().min(1).describe('SVG path data'),
          color: z.string().min(1).optional().describe('A CSS colour'),
          width: z.number().positive().optional().describe('The width of the line'),
        }),
        result: message,
      },
      undo: { description: 'Takes back the last path', arguments: canvasInstance, result: message },
      clear: { description: 'Takes back every path', arguments: canvasInstance, result: message },
      snapshot: {
        description: 'Answers the drawing as SVG',
        arguments: canvasInstance,
        result: z.looseObject({ message: said, svg: z.string() }),
      },
      close: { description: 'Closes the board', arguments: canvasInstance, result: message },
    },
  },
} as const satisfies Record<string, Tool>;

/** A tool of §11. */
export type ToolName = keyof typeof TOOLS;

export type ChoiceArguments = z.infer<typeof choiceArguments>;
export type ConfirmArguments = z.infer<typeof confirmArguments>;
export type InputArguments = z.infer<typeof inputArguments>;

/** Why a device refuses a `tool.call`: the `error` of its `tool.result`. */
export interface ToolRefusal {
  code: 'unknown_tool' | 'unknown_action' | 'invalid_arguments';
  message: string;
}

/** A call that may run, with checked arguments. */
export type CheckedCall =
  | { name: 'choice'; action: 'select'; arguments: ChoiceArguments }
  | { name: 'confirm'; action: 'ask'; arguments: ConfirmArguments }
  | { name: 'input'; action: 'ask'; arguments: InputArguments }
  | { name: 'calculator'; action: 'add' | 'subtract' | 'multiply' | 'divide'; arguments: z.infer<typeof operands> }
  | ({ name: 'canvas' } & CanvasCall);

type CanvasActions = (typeof TOOLS)['canvas']['actions'];

/** An action of the canvas with checked arguments. */
export type CanvasCall = { [A in keyof CanvasActions]: { action: A; arguments: z.infer<CanvasActions[A]['arguments']> } }[keyof CanvasActions];

/**
 * Checks a `tool.call` on the device (§11): the tool, the action, the arguments, in this order.
 *
 * The action may be left out for tools of type action. Unknown arguments are ignored.
 * @param offered the tools this device really has; any other is `unknown_tool`
 */
export function checkToolCall(
  call: { name: string; action?: string | undefined; arguments: Json },
  offered: readonly ToolName[],
): { ok: true; value: CheckedCall } | { ok: false; error: ToolRefusal } {
  const name = offered.find((tool) => tool === call.name);
  if (name === undefined) return refuseCall('unknown_tool', `name: this device has no tool ${JSON.stringify(call.name.slice(0, 64))}`);
  const tool: Tool = TOOLS[name];
  const names = Object.keys(tool.actions);
  const action = call.action ?? (tool.type === 'action' ? names[0] : undefined);
  const found = action === undefined || !Object.hasOwn(tool.actions, action) ? undefined : tool.actions[action];
  if (found === undefined) return refuseCall('unknown_action', `action: ${name} has ${names.join(', ')}`);
  const checked = found.arguments.safeParse(call.arguments);
  if (!checked.success) return refuseCall('invalid_arguments', describeIssue(checked.error, 'arguments'));
  return { ok: true, value: { name, action, arguments: checked.data } as CheckedCall };
}

function refuseCall(code: ToolRefusal['code'], text: string): { ok: false; error: ToolRefusal } {
  return { ok: false, error: { code, message: text } };
}

/** A tool as `tool.list` answers it (§11): a tool of type action has one `inputSchema`, the others a list of actions. */
export interface ToolDefinition {
  name: string;
  type: Tool['type'];
  description: string;
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  actions?: { name: string; description: string; inputSchema: JsonObject; outputSchema: JsonObject }[];
}

/** The definitions of these tools, with JSON Schema 2020-12 for what each action takes and answers. */
export function describeTools(names: readonly ToolName[]): ToolDefinition[] {
  return names.map((name) => {
    const { type, description, actions }: Tool = TOOLS[name];
    const described = Object.entries(actions).map(([action, { description: text, arguments: takes, result }]) => ({
      name: action,
      description: text,
      inputSchema: jsonSchema(takes),
      outputSchema: jsonSchema(result),
    }));
    const [only] = described;
    if (type === 'action' && only) return { name, type, description, inputSchema: only.inputSchema, outputSchema: only.outputSchema };
    return { name, type, description, actions: described };
  });
}

function jsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest as JsonObject;
}
