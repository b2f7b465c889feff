/** Builds the web app into dist/web, from where the relay serves it at `/`. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { surfacePage } from '../surface/build.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), surfacePage()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // The page's Content-Security-Policy takes no inline data but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What the page is made of, for its service worker.
    manifest: 'parts.json',
  },
});
