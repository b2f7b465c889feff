/** Which texts are colours here. They end up in attributes of a picture that leaves this device, so their characters are counted out. */

/** Hexadecimal, a name, or a function of plain numbers and words. No quotes, brackets, comments, variables or addresses. */
const SYNTAX = /^(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|[a-z]+|(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([\da-z.,%/+ -]+\))$/i;
/** Words that CSS takes in the place of a colour and that name none. */
const NO_COLOR = /^(?:inherit|initial|unset|revert)$/i;
const MOST_CHARACTERS = 100;

/** Whether a text is a CSS colour. @param supported what the browser says about a value of `color` */
export function isColor(text: string, supported: (color: string) => boolean = inBrowser): boolean {
  return text.length <= MOST_CHARACTERS && SYNTAX.test(text) && !NO_COLOR.test(text) && supported(text);
}

function inBrowser(color: string): boolean {
  return CSS.supports('color', color);
}
