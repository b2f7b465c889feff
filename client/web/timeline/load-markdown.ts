/** The heaviest part of the page. Asked for early, it is there when the first text is. */
export const loadMarkdown = () => import('../markdown/markdown.tsx');
