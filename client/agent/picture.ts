/** The picture that the demo agent paints: a sunrise behind hills, the same each time. */
import { encodePng, type Colour } from './png.ts';

const SKY_TOP: Colour = [28, 44, 92];
const SKY_BOTTOM: Colour = [250, 176, 120];
const SUN: Colour = [255, 236, 190];
/** From far to near: the height that a hill's line has at its mean, its swing, its waves across the picture, and its colour. */
const HILLS: readonly { mean: number; swing: number; waves: number; shift: number; colour: Colour }[] = [
  { mean: 0.64, swing: 0.05, waves: 1.4, shift: 0.3, colour: [124, 100, 134] },
  { mean: 0.74, swing: 0.06, waves: 2.1, shift: 1.9, colour: [78, 72, 110] },
  { mean: 0.87, swing: 0.04, waves: 3.2, shift: 4.0, colour: [36, 44, 74] },
];

/** Paints the picture as PNG. Sizes are in pixels. */
export function paintSunrise(width = 640, height = 400): Uint8Array<ArrayBuffer> {
  return encodePng(width, height, (x, y) => colourAt(x / width, y / height, width / height));
}

/** @param ratio width by height, so that the sun is round */
function colourAt(x: number, y: number, ratio: number): Colour {
  let colour = mix(SKY_TOP, SKY_BOTTOM, Math.min(1, y / 0.7));
  const distance = Math.hypot((x - 0.62) * ratio, y - 0.52);
  colour = mix(colour, SUN, distance < 0.11 ? 1 : 0.55 * Math.exp(-(distance - 0.11) * 7));
  for (const hill of HILLS) {
    const line = hill.mean + hill.swing * Math.sin(hill.shift + x * hill.waves * 2 * Math.PI);
    if (y > line) colour = mix(hill.colour, SKY_BOTTOM, 0.12 * Math.max(0, 1 - (y - line) * 9));
  }
  return colour;
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const channel = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * share);
  return [channel(0), channel(1), channel(2)];
}
