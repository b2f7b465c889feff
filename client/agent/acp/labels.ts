/** Words of an agent, made fit for a phone. */

/** A text of at most `max` UTF-16 units, never cut inside a character. */
export function shorten(text: string, max: number): string {
  const whole = text.toWellFormed();
  return whole.length <= max ? whole : `${whole.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The same labels, none empty and none twice: an answer names its option by label alone. */
export function distinctLabels(labels: readonly string[]): string[] {
  const seen = new Set<string>();
  return labels.map((label, i) => {
    const base = shorten(label.trim(), 200) || `Option ${i + 1}`;
    let distinct = base;
    for (let n = 2; seen.has(distinct); n++) distinct = `${base} (${n})`;
    seen.add(distinct);
    return distinct;
  });
}
