/** The capabilities of the web app (§11): what each takes and answers as schemas, its risk, and how an `app.call` is checked. */
import { z } from 'zod';
import { describeIssue } from './envelope.ts';
import type { Capability, Risk } from './inventory.ts';
import type { Json, JsonObject } from './json.ts';
import { MAX_TEXT_CHARACTERS } from './limits.ts';

// A page's Content-Security-Policy forbids eval, which zod would otherwise try for speed.
z.config({ jitless: true });

/** Longest address that is opened; the user has to be able to look at it. */
const MAX_URL_CHARACTERS = 2_048;

const webAddress = z
  .string()
  .max(MAX_URL_CHARACTERS)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), { error: 'expected a whole http or https address', abort: true })
  .refine((text) => !hasCredentials(text), 'expected an address without a user name or password')
  .describe('An http or https address');

function hasCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.username !== '' || url.password !== '');
}

const mimeType = z
  .string()
  .max(127)
  .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9*][a-z0-9!#$&^_.+*-]*$/i, 'expected a type such as text/plain');

const fileName = z
  .string()
  .min(1)
  .max(120)
  // Nothing that a folder, a control character or a change of direction could hide in.
  .regex(/^[^\p{C}\p{Zl}\p{Zp}\\/:*?"<>|]+$/u, 'expected a plain file name')
  .regex(/^[^.\s].*[^.\s]$|^[^.\s]$/u, 'expected a name that neither begins nor ends with a dot or a space');

const openUrl = z.object({ url: webAddress });
const writeClipboard = z.object({ text: z.string().min(1).max(MAX_TEXT_CHARACTERS).describe('What is put on the clipboard') });
const saveArtifact = z
  .object({
    name: fileName.describe('The name of the saved file'),
    mime_type: mimeType.optional().describe('What kind of file it is; text/plain when it is left out'),
    content: z.string().optional().describe('The file as text'),
    file_id: z.string().min(1).max(128).optional().describe('A file of this conversation, in place of content'),
  })
  .refine(({ content, file_id }) => (content === undefined) !== (file_id === undefined), {
    path: ['content'],
    error: 'expected either content or file_id',
  });
const pickFile = z.object({
  accept: z
    .array(z.union([mimeType, z.string().regex(/^\.[A-Za-z0-9]{1,16}$/)], 'expected a type such as image/* or an ending such as .pdf'))
    .max(20)
    .optional()
    .describe('Types or endings of the files that fit'),
});
const location = z.object({ high_accuracy: z.boolean().optional().describe('Whether to take longer for a better position') });
const takePhoto = z.object({ camera: z.enum(['front', 'back']).optional().describe('Which camera to begin with') });
const notify = z.object({
  title: z.string().min(1).max(80).describe('What it is about'),
  body: z.string().max(400).optional().describe('The rest of it'),
});

const storedFile = z.looseObject({ file_id: z.string(), name: z.string(), mime_type: z.string(), size: z.number() });

/** One capability as this contract knows it. */
interface CapabilityDefinition {
  version: string;
  risk: Risk;
  arguments: z.ZodType;
  result: z.ZodType;
}

/** The capabilities of §11 by name. */
export const CAPABILITIES = {
  'app.open_url': { version: '1.0', risk: 'user_confirmation', arguments: openUrl, result: z.looseObject({ opened: z.literal(true) }) },
  'clipboard.write': { version: '1.0', risk: 'user_confirmation', arguments: writeClipboard, result: z.looseObject({ written: z.literal(true) }) },
  'artifact.save': { version: '1.0', risk: 'user_confirmation', arguments: saveArtifact, result: z.looseObject({ saved: z.literal(true) }) },
  'device.pick_file': { version: '1.0', risk: 'system_permission', arguments: pickFile, result: storedFile },
  'device.location': {
    version: '1.0',
    risk: 'system_permission',
    arguments: location,
    result: z.looseObject({ latitude: z.number(), longitude: z.number(), accuracy: z.number() }),
  },
  'device.take_photo': { version: '1.0', risk: 'system_permission', arguments: takePhoto, result: storedFile },
  'app.notify': { version: '1.0', risk: 'display_only', arguments: notify, result: z.looseObject({ shown: z.literal(true) }) },
} as const satisfies Record<string, CapabilityDefinition>;

/** A capability of §11. */
export type CapabilityName = keyof typeof CAPABILITIES;

/** What a call of one capability asks for, checked. */
export type CapabilityArguments<N extends CapabilityName> = z.infer<(typeof CAPABILITIES)[N]['arguments']>;

/** What a capability answers when it was done. */
export type CapabilityResult<N extends CapabilityName> = z.infer<(typeof CAPABILITIES)[N]['result']>;

/** A checked call: which capability, and its arguments as the schema reads them; unknown arguments are gone. */
export type CheckedCapability = { [N in CapabilityName]: { name: N; arguments: CapabilityArguments<N> } }[CapabilityName];

/** Every name, in the order in which they are declared. */
export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as CapabilityName[];

/** The capability of this name; undefined when the contract has none. */
export function capabilityOf(name: string): CapabilityName | undefined {
  return CAPABILITY_NAMES.find((known) => known === name);
}

/**
 * Checks the arguments of an `app.call` on the device (§11). The error is the `error` of an `app.result` with status `failed`; its
 * message names the field.
 */
export function checkCapability(
  name: CapabilityName,
  args: Json,
): { ok: true; value: CheckedCapability } | { ok: false; error: { code: 'invalid_arguments'; message: string } } {
  const checked = CAPABILITIES[name].arguments.safeParse(args);
  if (checked.success) return { ok: true, value: { name, arguments: checked.data } as CheckedCapability };
  return { ok: false, error: { code: 'invalid_arguments', message: describeIssue(checked.error, 'arguments') } };
}

/** These capabilities as an inventory declares them, with JSON Schema for what each takes (§7). */
export function describeCapabilities(names: readonly CapabilityName[]): Capability[] {
  return names.map((name) => {
    const { version, risk, arguments: takes } = CAPABILITIES[name];
    const { $schema: _dialect, ...schema } = z.toJSONSchema(takes, { io: 'input' });
    return { name, version, risk, input_schema: schema as JsonObject };
  });
}
