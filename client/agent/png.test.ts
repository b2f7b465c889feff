import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { paintSunrise } from './picture.ts';
import { encodePng } from './png.ts';

test('a PNG has its signature, its size, and its pixels line by line', () => {
  const png = Buffer.from(encodePng(2, 2, (x, y) => [x * 255, y * 255, 7]));
  expect(png.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  expect([png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]]).toEqual([2, 2, 8, 2]);
  const size = png.readUInt32BE(33);
  expect(png.subarray(37, 41).toString()).toBe('IDAT');
  expect([...inflateSync(png.subarray(41, 41 + size))]).toEqual([0, 0, 0, 7, 255, 0, 7, 0, 0, 255, 7, 255, 255, 7]);
  // The checksum of an empty IEND is the same in every PNG.
  expect(png.subarray(-8)).toEqual(Buffer.from([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]));
});

test('the picture is the same each time', () => {
  expect(paintSunrise(64, 40)).toEqual(paintSunrise(64, 40));
});
