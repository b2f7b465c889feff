/** Draws the PNG icons of the web app from its SVG, with Chromium: `node scripts/icons.ts`. Run after the SVG was changed. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { launchBrowser } from '../test/e2e/browser.ts';

const PUBLIC = resolve(import.meta.dirname, '../client/web/public');
const ICONS = [
  { file: 'icon-192.png', size: 192, whole: false },
  { file: 'icon-512.png', size: 512, whole: false },
  // Systems cut these into their own shape: the ground fills the square, the drawing keeps to the middle.
  { file: 'icon-maskable-512.png', size: 512, whole: true },
  { file: 'apple-touch-icon.png', size: 180, whole: true },
];

const svg = await readFile(join(PUBLIC, 'icon.svg'), 'utf8');
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  for (const { file, size, whole } of ICONS) {
    const drawing = whole
      ? svg
          .replace('rx="12"', '')
          .replace('viewBox="0 0 48 48"', 'viewBox="-6 -6 60 60"')
          .replace('<rect width="48" height="48"', '<rect x="-6" y="-6" width="60" height="60"')
      : svg;
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${drawing}`);
    await writeFile(join(PUBLIC, file), await page.screenshot({ omitBackground: true }));
  }
} finally {
  await browser.close();
}
