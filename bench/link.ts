/** A lean WebSocket client: counts frames by a look at their text, so that the servers are measured and not the client. */
import WebSocket from 'ws';

/** One socket of a benchmark. */
export class Link {
  readonly #socket: WebSocket;
  #onFrame: (text: string) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#onFrame(data.toString('latin1')));
  }

  /** Connects. With a token as an agent or a device of the relay does. */
  static async open(url: string, token?: string): Promise<Link> {
    const socket = new WebSocket(url, token === undefined ? [] : ['lineup.v1', `lineup.token.${token}`], { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Link(socket);
  }

  send(frame: string): void {
    this.#socket.send(frame);
  }

  /** Resolves when `count` frames that match came from now on; `seen` hears of each frame. */
  async count(count: number, matches: (text: string) => boolean, seen?: (text: string) => void): Promise<void> {
    let left = count;
    await new Promise<void>((resolve, reject) => {
      const closed = (code: number): void => reject(new Error(`socket closed with ${code}, ${left} frames missing`));
      this.#socket.once('close', closed);
      this.#onFrame = (text) => {
        seen?.(text);
        if (!matches(text) || --left > 0) return;
        this.#socket.off('close', closed);
        resolve();
      };
    });
  }

  close(): void {
    this.#onFrame = () => undefined;
    this.#socket.close();
  }
}
