/** The document inside of the inner frame: the bridge first, then what the agent wrote. */
import type { Opening } from './wire.ts';

/** What a page looks like that says nothing about it: readable, in the app's type, as wide as its frame. */
const BASE_STYLE =
  ':root{font:400 16px/1.5 -apple-system,"SF Pro Text",Inter,"PingFang SC","HarmonyOS Sans SC","Noto Sans SC","Noto Sans CJK SC",system-ui,sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}body{margin:0}';

/**
 * @param bridge the bridge's source; it reads its opening from its own element
 *
 * The html comes last and as it is: whatever it leaves open or closes too early is its own affair. Style and script go to the bridge as
 * data, so that nothing in them ends the element that they stand in.
 */
export function srcdocOf(opening: Opening, bridge: string): string {
  const { html, css, js } = opening.bundle;
  const data = JSON.stringify({ ...opening, bundle: { html: '', css, js } });
  return [
    '<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    `<style>${BASE_STYLE}</style><script data-opening="${attribute(data)}">${bridge}</script></head><body>`,
    html,
  ].join('');
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
