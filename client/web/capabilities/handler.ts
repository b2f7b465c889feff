/** What a capability's handler is given, and what it gives back. */
import type { CapabilityArguments, CapabilityName } from '../../../src/protocol/capabilities.ts';
import type { FileInfo } from '../../../src/protocol/http.ts';
import type { Outcome } from './outcome.ts';

/** The conversation's files. */
export interface CallerFiles {
  /** Stores bytes with the relay; null when that did not work. @param onProgress gets a share of 0 to 1 */
  upload(file: Blob, onProgress: (share: number) => void): Promise<FileInfo | null>;
  /** Fetches a file of the conversation; null when there is none, or it could not be had. */
  download(fileId: string): Promise<Blob | null>;
}

export interface HandlerContext {
  agent: string;
  files: CallerFiles;
  /** Aborted when the user stops it, or when the call was settled elsewhere. */
  signal: AbortSignal;
  /** How far it is, 0 to 1. */
  progress: (share: number) => void;
  /** Lets the user take a picture in the dialog; null when they do not. */
  photograph: (camera: 'front' | 'back') => Promise<Blob | null>;
  /** Shows a notice in the page. False when too many wait already. */
  show: (words: { title: string; body: string }) => boolean;
}

/**
 * Does what was allowed, exactly once, and says how it ended.
 * @throws NeedsTap when the browser wants a tap first, and nothing has happened yet
 */
export type Handler<N extends CapabilityName> = (args: CapabilityArguments<N>, context: HandlerContext) => Promise<Outcome>;

export type Handlers = { [N in CapabilityName]: Handler<N> };

/** The browser does this only right after a tap. Thrown before anything has happened. */
export class NeedsTap extends Error {}
