/** Ports as people give them on a command line. */

/**
 * Reads a TCP port; 0 means any free one.
 * @throws RangeError saying what it may be.
 */
export function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new RangeError('--port must be a number from 0 to 65535');
  return Number(text);
}
