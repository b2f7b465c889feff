/** Writes PNG images in plain code: what a demo needs, eight-bit RGB without interlacing. */
import { crc32, deflateSync } from 'node:zlib';

/** Red, green and blue, 0 to 255 each. */
export type Colour = readonly [red: number, green: number, blue: number];

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BITS_PER_CHANNEL = 8;
const COLOUR_TYPE_RGB = 2;

/**
 * Encodes an image.
 * @param width in pixels
 * @param height in pixels
 * @param colourAt gives each pixel's colour; 0, 0 is the top left
 */
export function encodePng(width: number, height: number, colourAt: (x: number, y: number) => Colour): Uint8Array<ArrayBuffer> {
  const lineBytes = 1 + width * 3;
  const lines = new Uint8Array(lineBytes * height);
  for (let y = 0; y < height; y++) {
    // The first byte of a line names its filter; 0 is none.
    let at = y * lineBytes + 1;
    for (let x = 0; x < width; x++) {
      lines.set(colourAt(x, y), at);
      at += 3;
    }
  }
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([BITS_PER_CHANNEL, COLOUR_TYPE_RGB], 8);
  return joined([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(lines)), chunk('IEND', new Uint8Array())]);
}

/** A chunk is its length, its type, its data, and a checksum of type and data. */
function chunk(type: string, data: Uint8Array): Uint8Array {
  const named = joined([new TextEncoder().encode(type), data]);
  const framed = new Uint8Array(named.length + 8);
  const view = new DataView(framed.buffer);
  view.setUint32(0, data.length);
  framed.set(named, 4);
  view.setUint32(4 + named.length, crc32(named));
  return framed;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
