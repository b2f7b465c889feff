/**
 * The bridge: the first script of the inner frame, before anything that an agent wrote. It leaves one global behind, `LineUpSurface`.
 *
 * The agent's code shares its realm and may replace every builtin, so whatever is needed later is taken now. Nothing here protects the
 * host (the frames do that); it only keeps a surface from speaking as the bridge: from feigning that it lives, or that it was touched.
 */
import { ALIVE, BRIDGE, MAX_MESSAGE_BYTES, NAMESPACE, TOUCHED, type Downward, type Opening, type SurfaceContext } from './wire.ts';

const { parse, stringify } = JSON;
const later = queueMicrotask.bind(window);
const encoder = new TextEncoder();
const bytesOf = encoder.encode.bind(encoder);
const dataGetter = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data')?.get as () => unknown;
const dataOf = Function.prototype.call.bind(dataGetter) as (event: MessageEvent) => unknown;

const script = document.currentScript as HTMLScriptElement;
const opening = parse(script.dataset.opening ?? '') as Opening;
script.remove();

const { port1, port2 } = new MessageChannel();
const post = port1.postMessage.bind(port1) as (message: string) => void;
window.parent.postMessage(BRIDGE, '*', [port2]);

/** Where the surface is shown. `change` is dispatched when any of it is another one. */
class Context extends EventTarget {
  #now: SurfaceContext;

  constructor(now: SurfaceContext) {
    super();
    this.#now = now;
  }

  get theme(): SurfaceContext['theme'] {
    return this.#now.theme;
  }

  get locale(): string {
    return this.#now.locale;
  }

  get safeArea(): SurfaceContext['safeArea'] {
    return { ...this.#now.safeArea };
  }

  static change(context: Context, now: SurfaceContext): void {
    context.#now = now;
    context.dispatchEvent(new Event('change'));
  }
}
const change = Context.change.bind(Context);
Reflect.deleteProperty(Context, 'change');

type StateListener = (state: Opening['state']) => void;

const context = new Context(opening.context);
const listeners: StateListener[] = [];
let { state } = opening;

function send(message: object): void {
  const text = stringify(message);
  if (bytesOf(text).byteLength > MAX_MESSAGE_BYTES) throw new RangeError(`A message has at most ${MAX_MESSAGE_BYTES} bytes.`);
  post(text);
}

const surface = {
  /** Tells the agent what the user did. */
  event(event: string, data: Opening['state'] = {}): void {
    send({ namespace: NAMESPACE, type: 'event', event, data });
  },
  /** Calls back with the state that there is, and with each that follows. */
  onState(listener: StateListener): void {
    listeners[listeners.length] = listener;
    later(() => listener(state));
  },
  /** Asks for a height, in CSS pixels. The host decides. */
  resize(height: number): void {
    send({ namespace: NAMESPACE, type: 'resize', height });
  },
  context,
};

/** Lets a style sheet follow the host without a script. */
function dress({ theme, locale, safeArea }: SurfaceContext): void {
  const root = document.documentElement;
  root.lang = locale;
  root.dataset.theme = theme;
  root.style.colorScheme = theme;
  for (const [edge, width] of Object.entries(safeArea)) root.style.setProperty(`--safe-${edge}`, `${width}px`);
}

function hear(message: Downward): void {
  if (message.type === 'state') {
    state = message.state;
    for (let i = 0; i < listeners.length; i++) listeners[i]?.(state);
  } else if (message.type === 'context') {
    dress(message.context);
    change(context, message.context);
  } else {
    post(ALIVE);
  }
}

port1.addEventListener('message', (event) => hear(parse(dataOf(event) as string) as Downward));
port1.start();
window.addEventListener('pointerdown', (event) => event.isTrusted && post(TOUCHED), { capture: true, passive: true });
Object.defineProperty(window, 'LineUpSurface', { value: Object.freeze(surface), enumerable: true });
dress(opening.context);

const style = document.createElement('style');
style.textContent = opening.bundle.css;
document.head.append(style);
document.addEventListener('DOMContentLoaded', () => {
  const code = document.createElement('script');
  code.textContent = opening.bundle.js;
  document.body.append(code);
});
