/** The media type of a file by its name, for those that phones can show; the others are bytes. */
import { extname } from 'node:path';

const IMAGES: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.avif', 'image/avif'],
]);

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['.txt', 'text/plain'],
  ['.log', 'text/plain'],
  ['.md', 'text/markdown'],
  ['.csv', 'text/csv'],
  ['.json', 'application/json'],
  ['.pdf', 'application/pdf'],
  ['.svg', 'image/svg+xml'],
  ['.zip', 'application/zip'],
  ['.mp3', 'audio/mpeg'],
  ['.mp4', 'video/mp4'],
]);

/** The type of a picture that is shown as one; undefined for every other file. */
export function imageType(name: string): string | undefined {
  return IMAGES.get(extname(name).toLowerCase());
}

/** The type of any file. */
export function mediaType(name: string): string {
  return imageType(name) ?? OTHERS.get(extname(name).toLowerCase()) ?? 'application/octet-stream';
}
