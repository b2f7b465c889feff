/** Where other machines of the network find this one. */
import { networkInterfaces } from 'node:os';

/** Networks of containers and virtual machines, which no phone is in. */
const VIRTUAL = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|utun|tun|tap|lo)/;

/** This machine's IPv4 addresses in its networks, those first that a phone is likely to be in. */
export function networkAddresses(interfaces = networkInterfaces()): string[] {
  const found = Object.entries(interfaces).flatMap(([name, addresses]) =>
    (addresses ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => ({ name, address })),
  );
  const isUnlikely = ({ name, address }: (typeof found)[number]): number => Number(VIRTUAL.test(name)) + Number(address.startsWith('169.254.'));
  return found.toSorted((a, b) => isUnlikely(a) - isUnlikely(b)).map(({ address }) => address);
}

/** Whether only this machine itself can reach a host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || host.startsWith('127.');
}

/** The origin that a link to this machine begins with; for one that listens everywhere, the address of its likeliest network. */
export function shownOrigin(host: string, port: number, addresses = networkAddresses()): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const shown = isEverywhere ? (addresses[0] ?? '127.0.0.1') : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}
