/** Reads an option that is a time in seconds. */
import { InvalidArgumentError } from 'commander';

const WEEK_S = 7 * 24 * 3_600;

/** @throws InvalidArgumentError when it is no number from 0 to a week */
export function readSeconds(text: string): number {
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(seconds) || seconds < 0 || seconds > WEEK_S) throw new InvalidArgumentError(`expected 0 to ${WEEK_S} seconds`);
  return seconds;
}
