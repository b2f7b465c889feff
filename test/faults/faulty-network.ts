/** A TCP proxy that behaves as networks do: it cuts connections, lets them die without a word, and crawls. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** How the network is for data that comes now. */
interface Pace {
  /** 0: no limit. */
  bytesPerS: number;
  latencyMs: number;
}

/** Chunks on a slow line are cut to this, so that its pace is even. */
const SLOW_CHUNK_BYTES = 2_048;

/** One connection through the network. */
class Line {
  readonly #ends: readonly [Socket, Socket];
  #frozen = false;

  constructor(client: Socket, relay: Socket, pace: () => Pace) {
    this.#ends = [client, relay];
    for (const [from, to] of [
      [client, relay],
      [relay, client],
    ] as const) {
      // A half-open connection swallows what is sent and tells nobody of its end.
      from.on('data', (chunk: Buffer) => {
        if (!this.#frozen) void this.#forward(from, to, chunk, pace());
      });
      from.on('close', () => {
        if (!this.#frozen) to.destroy();
      });
      from.on('error', () => undefined);
    }
  }

  freeze(): void {
    this.#frozen = true;
  }

  destroy(): void {
    for (const end of this.#ends) end.destroy();
  }

  async #forward(from: Socket, to: Socket, chunk: Buffer, { bytesPerS, latencyMs }: Pace): Promise<void> {
    if (bytesPerS === 0 && latencyMs === 0) {
      to.write(chunk);
      return;
    }
    from.pause();
    await sleep(latencyMs);
    for (let at = 0; at < chunk.length && !this.#frozen; at += SLOW_CHUNK_BYTES) {
      const part = chunk.subarray(at, at + SLOW_CHUNK_BYTES);
      if (bytesPerS > 0) await sleep((part.length / bytesPerS) * 1_000);
      to.write(part);
    }
    from.resume();
  }
}

/** A network between one client and a relay. */
export class FaultyNetwork {
  readonly #server: Server;
  readonly #lines = new Set<Line>();
  #pace: Pace = { bytesPerS: 0, latencyMs: 0 };
  #down = false;

  private constructor(relay: () => URL) {
    this.#server = createServer((client) => {
      client.on('error', () => undefined);
      if (this.#down) {
        client.destroy();
        return;
      }
      const { hostname, port } = relay();
      const line = new Line(client, connect(Number(port), hostname), () => this.#pace);
      this.#lines.add(line);
      client.on('close', () => this.#lines.delete(line));
    });
  }

  /** @param relay where the relay is at the moment */
  static async to(relay: () => URL): Promise<FaultyNetwork> {
    const network = new FaultyNetwork(relay);
    network.#server.listen(0, '127.0.0.1');
    await once(network.#server, 'listening');
    return network;
  }

  /** Where a client finds the relay through this network. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open, frozen ones included. */
  get lines(): number {
    return this.#lines.size;
  }

  /** Breaks every connection, as a router does that restarts. */
  cut(): void {
    for (const line of this.#lines) line.destroy();
  }

  /** Every connection goes dead, and neither side hears of it. New connections work. */
  freeze(): void {
    for (const line of this.#lines) line.freeze();
  }

  /** Nobody gets through, until {@link up}. */
  down(): void {
    this.#down = true;
    this.cut();
  }

  /** Ends {@link down}. */
  up(): void {
    this.#down = false;
  }

  /** How fast data goes from now on, in each direction of each connection. */
  slow(bytesPerS: number, latencyMs = 0): void {
    this.#pace = { bytesPerS, latencyMs };
  }

  async close(): Promise<void> {
    this.down();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
