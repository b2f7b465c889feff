/** The relay's variables on this machine: `LINEUP_*` of the environment (§8, §12). */
import { readLimits } from '../src/protocol/limits.ts';

/**
 * Reads them. A limit that is none is found here, before a Worker would answer every request with an error.
 * @throws RangeError naming the variable.
 */
export function readRelayVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (name.startsWith('LINEUP_') && value !== undefined) variables[name] = value;
  readLimits(variables);
  return variables;
}
