/** What the capability desk works with, and what it shows. */
import type { CheckedCapability } from '../../../src/protocol/capabilities.ts';
import type { Schedule } from '../store/observable.ts';
import type { CoolDown } from './cool-down.ts';
import type { Exclusion } from './exclusion.ts';
import type { CallerFiles, HandlerContext } from './handler.ts';
import type { Notice } from '../attention/notices.ts';
import type { Journal } from './journal.ts';
import type { Outcome } from './outcome.ts';
import type { CapabilityPolicy } from './policy.ts';
import type { AppResult, CapabilityRequest } from './request.ts';

/** A conversation that calls come from and answers go to. */
export interface Caller {
  conversationId: string;
  /** Relay and agent, as pairings are filed: grants and cool-downs are kept by it. */
  agent: string;
  agentName: () => string;
  files: CallerFiles;
  /** Whether nobody has settled the call, or is about to from here. */
  isPending: (callId: string) => boolean;
  /** Puts a result into the outbox; resolves when it is kept there. */
  answer: (result: AppResult) => Promise<void>;
}

/** What the user sees of the desk. */
export interface DeskView {
  question: Question | null;
  /** How many more wait. */
  waiting: number;
}

export interface Question {
  readonly request: CapabilityRequest;
  readonly agentName: string;
  readonly canRemember: boolean;
  /** It was allowed before, but the browser wants a tap. */
  readonly needsTap: boolean;
  /** Null while it is asked about. */
  readonly work: Work | null;
}

/** How far an allowed call is. */
export interface Work {
  progress: number | null;
  camera: { facing: 'front' | 'back'; taken: (photo: Blob | null) => void } | null;
}

export interface DeskParts {
  journal: Journal;
  exclusion: Exclusion;
  policy: CapabilityPolicy;
  coolDown: CoolDown;
  /** Does a checked call. @throws NeedsTap */
  run: (call: CheckedCapability, context: HandlerContext) => Promise<Outcome>;
  show: (notice: Notice) => boolean;
  /** Tells the other tabs that this one has taken a call over. */
  announce: (key: string) => void;
  /** Milliseconds that only ever grow. */
  clock: () => number;
  /** Told of what should not happen. */
  fault: (error: unknown) => void;
  schedule: Schedule;
}
