/** A message as Markdown, the way it leaves the app: copied, or in a file. */
import type { Entry } from '../model/entry.ts';
import { objectField, textField } from '../model/timeline.ts';

/** Empty where there is nothing that words could say. */
export function markdownOf({ type, payload }: Entry): string {
  if (payload.sealed !== undefined) return '';
  switch (type) {
    case 'text':
      return textField(payload, 'content') ?? '';
    case 'image':
      return [`![${textField(payload, 'alt') ?? ''}](${textField(payload, 'url') ?? ''})`, textField(payload, 'caption')]
        .filter(Boolean)
        .join('\n\n');
    case 'file':
      return `[${textField(payload, 'name') ?? ''}]`;
    case 'error':
      return textField(payload, 'message') ?? '';
    case 'tool.call':
      return textField(objectField(payload, 'arguments'), 'question') ?? '';
    default:
      return '';
  }
}
