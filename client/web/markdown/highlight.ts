/** Colours for code: a text becomes a tree of spans with class names. Loaded with the first block whose language is known; runs no code of its own making. */
import { common, createLowlight } from 'lowlight';

export type Highlighted = ReturnType<ReturnType<typeof createLowlight>['highlight']>;

const lowlight = createLowlight(common);

/** Null when the language is none that is known here. */
export function highlight(language: string, code: string): Highlighted | null {
  return lowlight.registered(language) ? lowlight.highlight(language, code) : null;
}
