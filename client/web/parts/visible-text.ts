/** A stranger's words with nothing hidden in them: what changes the direction of text or takes no room is shown as its code point. */

/** A piece of a text: as it is, or a character that would not be seen. */
export type TextPiece = { text: string } | { hidden: string };

/** Everything that a reader cannot see: controls, format characters (bidi, zero-width, tags), fillers, selectors, odd line ends. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const ALL_UNSEEN = new RegExp(UNSEEN, 'gu');

/** What an emoji is joined from: there, and only there, a joiner and a selector do what they were made for. */
const EMOJI =
  /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*|[0-9#*]\uFE0F?\u20E3/gu;

/** Splits a text where something hides. Line feeds and tabs are what they look like. */
export function visibleText(text: string): TextPiece[] {
  const emoji = [...text.matchAll(EMOJI)].map((match) => [match.index, match.index + match[0].length] as const);
  const pieces: TextPiece[] = [];
  let from = 0;
  let nextEmoji = 0;
  for (const { 0: character, index } of text.matchAll(ALL_UNSEEN)) {
    if (character === '\n' || character === '\t') continue;
    while ((emoji[nextEmoji]?.[1] ?? Infinity) <= index) nextEmoji += 1;
    if ((emoji[nextEmoji]?.[0] ?? Infinity) <= index) continue;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ hidden: codePoint(character) });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** The same as one string, for labels and titles: `a[U+202E]b`. */
export function plainVisible(text: string): string {
  return visibleText(text.replace(/[\n\t]+/g, ' '))
    .map((piece) => ('text' in piece ? piece.text : `[${piece.hidden}]`))
    .join('');
}

/** The beginning of a text, cut between characters as people see them. @param most in UTF-16 units */
export function capped(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(text.slice(0, most))) {
    if (index + segment.length <= most) end = index;
  }
  return `${text.slice(0, end || most).toWellFormed()}…`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
