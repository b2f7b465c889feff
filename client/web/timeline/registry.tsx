/** Which renderer shows which type of message. A new type is one more line here. */
import type { ComponentType } from 'react';
import { LOCAL_TYPES, type Entry } from '../model/entry.ts';
import { AppCallEntry } from '../capabilities/app-call-entry.tsx';
import { ErrorEntry } from './error-entry.tsx';
import { FileEntry } from './file-entry.tsx';
import { GapEntry } from './gap-entry.tsx';
import { ImageEntry } from './image-entry.tsx';
import { RunCancelEntry } from './run-cancel-entry.tsx';
import { SealedEntry } from './sealed-entry.tsx';
import { SurfaceEntry } from './surface-entry.tsx';
import { TextEntry } from './text-entry.tsx';
import { ToolCallEntry } from './tool-call-entry.tsx';
import { UnknownEntry } from './unknown-entry.tsx';

/** Shows one entry. */
export type EntryRenderer = ComponentType<{ entry: Entry }>;

interface Registration {
  render: EntryRenderer;
  /** Small lines stand closer to each other than texts and cards. */
  quiet?: true;
}

const RENDERERS: ReadonlyMap<string, Registration> = new Map<string, Registration>([
  ['text', { render: TextEntry }],
  ['image', { render: ImageEntry }],
  ['file', { render: FileEntry }],
  ['error', { render: ErrorEntry }],
  ['tool.call', { render: ToolCallEntry }],
  ['run.cancel', { render: RunCancelEntry, quiet: true }],
  ['lineup.v1.app.call', { render: AppCallEntry, quiet: true }],
  ['lineup.v1.ui.open', { render: SurfaceEntry, quiet: true }],
  [LOCAL_TYPES.gap, { render: GapEntry }],
]);

const UNKNOWN: Registration = { render: UnknownEntry, quiet: true };
const SEALED: Registration = { render: SealedEntry, quiet: true };

/** The renderer of an entry; what nobody knows gets a small neutral line, never a blank. */
export function rendererOf(entry: Entry): Registration {
  if (typeof entry.payload.sealed === 'string') return SEALED;
  return RENDERERS.get(entry.type) ?? UNKNOWN;
}
