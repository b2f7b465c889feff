/** What the relay is measured against: the least that a hibernating Durable Object can do with a frame, without and with storage. */
import { DurableObject } from 'cloudflare:workers';

class Room extends DurableObject {
  async fetch() {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }
  forward(from, message) {
    for (const socket of this.ctx.getWebSockets()) if (socket !== from) socket.send(message);
  }
}

/** Forwards a frame to the other sockets, stores nothing, acknowledges nothing. */
export class Echo extends Room {
  webSocketMessage(socket, message) {
    this.forward(socket, message);
  }
}

/** One INSERT, one ack and one forward a frame, as one would write it first. */
export class Naive extends Room {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY, frame TEXT)');
  }
  webSocketMessage(socket, message) {
    this.ctx.storage.sql.exec('INSERT INTO log (frame) VALUES (?)', message);
    socket.send('{"type":"system.ack"}');
    this.forward(socket, message);
  }
}

export default {
  fetch(request, env) {
    const [, kind, room] = new URL(request.url).pathname.split('/');
    if (request.headers.get('upgrade') !== 'websocket') return new Response('ok');
    return (kind === 'naive' ? env.NAIVE : env.ECHO).getByName(room).fetch(request);
  },
};
