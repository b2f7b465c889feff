/** What an agent's document has come to, before it is drawn: whether there is anything to be seen, and how deep it goes. */

/** A node of a document, as far as it is looked at here. */
export interface DocumentNode {
  type: string;
  value?: string;
  tagName?: string;
  children?: DocumentNode[];
}

/** Elements that are seen without a word in them. */
const SEEN_EMPTY: readonly (string | undefined)[] = ['img', 'input', 'hr', 'li', 'td', 'th', 'pre'];
const SEEN = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Deeper than this many elements nothing can be made out, and drawing it would overflow the stack. */
const DEEPEST = 24;

/** Whether a reader sees anything of it. */
export function isSeen({ type, value, tagName, children }: DocumentNode): boolean {
  if (type === 'text') return SEEN.test(value ?? '');
  return SEEN_EMPTY.includes(tagName) || (children ?? []).some(isSeen);
}

/** Makes what lies too deep plain text. */
export function flatten(node: DocumentNode, depth = 0): void {
  if (!node.children) return;
  if (depth === DEEPEST) node.children = [{ type: 'text', value: textOf(node) }];
  else for (const child of node.children) flatten(child, depth + 1);
}

/** Without recursion: it may be as deep as the text is long. */
function textOf(node: DocumentNode): string {
  let text = '';
  const left = [node];
  for (let next = left.pop(); next; next = left.pop()) {
    if (next.type === 'text') text += next.value ?? '';
    for (const child of next.children?.toReversed() ?? []) left.push(child);
  }
  return text;
}
