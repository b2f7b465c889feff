/** How the `lineup` command ends: its exit codes, and the error that names one (docs/cli.md). */

/** The exit codes. Scripts rely on them: a number never changes its meaning. */
export const EXIT = {
  ok: 0,
  /** Something unexpected, such as a disk that is full. */
  failed: 1,
  /** Wrong usage, or an agent that is not set up yet. */
  usage: 2,
  /** The relay does not take the token or the owner key. */
  unauthorized: 3,
  /** Another process of this agent runs, or took over. */
  replaced: 4,
  /** The relay does not understand this version of lineup. */
  protocol: 5,
  /** The relay cannot be reached. What was to be sent is not sent. */
  unreachable: 6,
  /** The relay refused what was asked of it. */
  refused: 7,
  /** A program that lineup runs cannot be started, or ended. */
  program: 8,
  /** A question: the user declined, or closed it. */
  declined: 10,
  /** A question: nobody answered in time. */
  expired: 11,
  /** A question: it was taken back. */
  cancelled: 12,
  /** A question: no device can ask it, or asking it failed. */
  unanswerable: 13,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with one line on stderr and an exit code. The message is a sentence without a full stop that says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
