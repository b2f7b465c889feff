/** Where an ACP server is: `tcp://host:port` or `unix:///path`. */

/** An address that can be listened on or dialled. */
export type ServerAddress = { kind: 'tcp'; host: string; port: number } | { kind: 'unix'; path: string };

/** The port of AstrBot's implementation. */
const DEFAULT_PORT = 8765;

/** Reads an address as people write it; null when it is none. */
export function readServerAddress(text: string): ServerAddress | null {
  const path = /^unix:(?:\/\/)?(\/.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'unix', path };
  const [, host = '', port = String(DEFAULT_PORT)] = /^tcp:\/\/(\[[0-9a-fA-F:.]+\]|[^:/?#[\]]+)(?::(\d{1,5}))?\/?$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) return null;
  return { kind: 'tcp', host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** As {@link readServerAddress} reads it. */
export function addressText(address: ServerAddress): string {
  if (address.kind === 'unix') return `unix://${address.path}`;
  return `tcp://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}

/** Whether only programs on this machine reach it. */
export function isLocal(address: ServerAddress): boolean {
  return address.kind === 'unix' || /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(address.host);
}
