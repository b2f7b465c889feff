/** Numbers in a query string. */
import { ok, refuse, type Result } from '../../protocol/errors.ts';

/** A plain decimal integer from `min` to `max`, or undefined when the parameter is absent. Error: `invalid_payload`, naming the parameter. */
export function readInteger(url: string, name: string, min = 0, max = Number.MAX_SAFE_INTEGER): Result<number | undefined> {
  const text = new URL(url).searchParams.get(name);
  if (text === null) return ok(undefined);
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return ok(value);
  return refuse('invalid_payload', `${name}: expected a whole number from ${min} to ${max}`);
}
