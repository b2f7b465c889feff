/** An agent's face: the first letter of its name, in a colour that follows from the name. */

export function Monogram({ name }: { name: string }) {
  const [first = '·'] = name.trim();
  return (
    <span className="monogram" style={{ '--monogram-hue': hueOf(name) } as React.CSSProperties} aria-hidden="true">
      {first.toUpperCase()}
    </span>
  );
}

/** Hues that stay clear of amber, which means something else. */
function hueOf(name: string): number {
  let sum = 7;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return 130 + (sum % 270);
}
