/** Commands as somebody has to type them so that they are about the same agent. */

/** The agent that a command line names; nothing: the default profile, or the environment's, which the next command has too. */
export interface NamedAgent {
  profile?: string;
  state?: string;
}

/** A command for an agent, such as `lineup --profile hermes pair`. @param words what follows `lineup` and its options */
export function typed(words: string, { profile, state }: NamedAgent): string {
  const options = Object.entries({ profile, state }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${shellWord(value)}`]));
  return ['lineup', ...options, words].join(' ');
}

/** A message in which each command that it advises, written `"lineup …"`, is {@link typed}. One that names its agent stays as it is. */
export function advised(message: string, agent: NamedAgent): string {
  return message.replaceAll(/"lineup (?!--)/g, () => `"${typed('', agent)}`);
}

/** A text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
