/** What attacks are measured with: a listener that a leak would reach, and a page that shows the same code without our defences. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/** Listens on HTTP, WebSocket and UDP, and remembers who came. */
export class Listener {
  readonly #server: Server;
  readonly #udp: Socket;
  /** Paths that were asked for. */
  readonly hits: string[] = [];
  /** Datagrams, such as WebRTC sends to find its way. */
  datagrams = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://listener');
      if (pathname !== '/favicon.ico' && pathname !== '/control') this.hits.push(pathname);
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Content-Type', pathname.endsWith('.css') ? 'text/css' : pathname.endsWith('.js') ? 'text/javascript' : 'text/html');
      response.end(pathname === '/control' ? '<!doctype html><title>Control</title><body><input id="field">' : '');
    });
    this.#server.on('upgrade', (request, socket) => {
      this.hits.push(request.url ?? '');
      socket.destroy();
    });
    this.#udp = createSocket('udp4', () => (this.datagrams += 1));
  }

  static async start(): Promise<Listener> {
    const listener = new Listener();
    listener.#server.listen(0, '127.0.0.1');
    listener.#udp.bind(0, '127.0.0.1');
    await Promise.all([once(listener.#server, 'listening'), once(listener.#udp, 'listening')]);
    return listener;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `127.0.0.1:port` of the UDP socket. */
  get udp(): string {
    return `127.0.0.1:${this.#udp.address().port}`;
  }

  /** Forgets who came. */
  clear(): void {
    this.hits.length = 0;
    this.datagrams = 0;
  }

  async stop(): Promise<void> {
    this.#udp.close();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** What an attack said in a frame without defences. */
export type Said = { event: string; data: Record<string, unknown> }[];

/**
 * Shows an attack in a plain frame of a plain page: no Content-Security-Policy, no outer frame, no host that watches.
 * @param sandbox the frame's sandbox attribute; null for none
 * @param allow the frame's allow attribute
 */
export async function showUndefended(
  page: Page,
  origin: string,
  bundle: { html?: string; js?: string },
  sandbox: string | null,
  allow = '',
): Promise<void> {
  await page.goto(`${origin}/control?secret=1#fragment`);
  await page.evaluate(
    ({ html, js, sandboxed, allowed }) => {
      const said: unknown[] = [];
      Object.assign(window, { said });
      window.addEventListener('message', (event) => said.push(event.data));
      const frame = document.createElement('iframe');
      if (sandboxed !== null) frame.setAttribute('sandbox', sandboxed);
      frame.setAttribute('allow', allowed);
      const bridge = `window.LineUpSurface = { event: (event, data = {}) => parent.postMessage({ event, data }, '*'), onState() {}, resize() {} };`;
      frame.srcdoc = `<script>${bridge}</script><body>${html}<script>${js}</script>`;
      document.body.append(frame);
    },
    { html: bundle.html ?? '', js: (bundle.js ?? '').replaceAll('</script', String.raw`<\/script`), sandboxed: sandbox, allowed: allow },
  );
}

/** What it has said so far. */
export function saidOf(page: Page): Promise<Said> {
  return page.evaluate(() => (window as unknown as { said: Said }).said);
}
