/**
 * The outer frame: a page of its own between the app and what an agent wrote. Its Content-Security-Policy allows no navigation of the
 * frame inside it, and it lets nothing out but short strings, slowly.
 */
import bridge from 'virtual:surface-bridge';
import { srcdocOf } from './srcdoc.ts';
import { TokenBucket } from './token-bucket.ts';
import { ALIVE, BRIDGE, FLOODED, MAX_MESSAGE_BYTES, READY, TOUCHED, type Downward, type Opening, type SurfaceContext } from './wire.ts';

/** Messages a second that pass, and at once. Whoever sends ten times that is taken down. */
const PER_SECOND = 20;
const BURST = 40;
const FLOOD = 10;

/** The host's opening, and the port that comes with it. What anyone else sends is not looked at. */
function awaitOpening(): Promise<{ opening: Opening; host: MessagePort }> {
  return new Promise((resolve) => {
    const hear = (event: MessageEvent<unknown>) => {
      const [host] = event.ports;
      if (event.source !== window.parent || !host) return;
      window.removeEventListener('message', hear);
      resolve({ opening: event.data as Opening, host });
    };
    window.addEventListener('message', hear);
    window.parent.postMessage(READY, '*');
  });
}

/** The bridge's port. Only the first one counts: the bridge runs before anything of the agent's, and a port dies with its document. */
function awaitBridge(frame: HTMLIFrameElement): Promise<MessagePort> {
  return new Promise((resolve) => {
    const hear = (event: MessageEvent<unknown>) => {
      if (event.source !== frame.contentWindow) return;
      const [port] = event.ports;
      if (event.data !== BRIDGE || !port) return;
      window.removeEventListener('message', hear);
      resolve(port);
    };
    window.addEventListener('message', hear);
  });
}

/** Lets strings through, up to a size and a rate. */
function relay(from: MessagePort, tell: (text: string) => void, end: () => void): void {
  const passing = new TokenBucket(PER_SECOND, BURST, () => performance.now());
  const flood = new TokenBucket(PER_SECOND * FLOOD, BURST * FLOOD, () => performance.now());
  from.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (!flood.take()) {
      from.close();
      end();
      tell(FLOODED);
      return;
    }
    const { data } = event;
    if (data === ALIVE || data === TOUCHED) tell(data);
    else if (typeof data === 'string' && data.length <= MAX_MESSAGE_BYTES && passing.take()) tell(data);
  });
  from.start();
}

/** A frame in another colour scheme than what it holds would stand on white. */
function dress({ theme }: SurfaceContext): void {
  document.documentElement.style.colorScheme = theme;
}

const { opening, host } = await awaitOpening();
dress(opening.context);
const frame = document.createElement('iframe');
frame.setAttribute('sandbox', 'allow-scripts');
frame.setAttribute('allow', '');
frame.title = document.title;
frame.srcdoc = srcdocOf(opening, bridge);
const arrived = awaitBridge(frame);
document.body.append(frame);
const inner = await arrived;
const toHost = host.postMessage.bind(host) as (text: string) => void;
const toInner = inner.postMessage.bind(inner) as (text: string) => void;
host.addEventListener('message', (event: MessageEvent<string>) => {
  const message = JSON.parse(event.data) as Downward;
  if (message.type === 'context') dress(message.context);
  toInner(event.data);
});
relay(inner, toHost, () => frame.remove());
host.start();
