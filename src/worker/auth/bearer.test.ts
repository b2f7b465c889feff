import { describe, expect, it } from 'vitest';
import { bearerOf, socketOffer } from './bearer.ts';

const request = (headers: Record<string, string>) => new Request('https://relay.example/?token=no', { headers });

describe('finding the token', () => {
  it('takes it from Authorization alone, never from the URL', () => {
    expect(bearerOf(request({ authorization: 'Bearer abc' }))).toBe('abc');
    expect(bearerOf(request({ authorization: 'bearer   abc' }))).toBe('abc');
    for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic abc', 'abc', 'xBearer abc']) {
      expect(bearerOf(request({ authorization })), authorization).toBeUndefined();
    }
    expect(bearerOf(request({}))).toBeUndefined();
  });

  it('takes it from a second subprotocol of an upgrade, and knows whether lineup.v1 may be selected', () => {
    const offer = (protocols: string) => socketOffer(request({ 'sec-websocket-protocol': protocols }));
    expect(offer('lineup.v1, lineup.token.a.b.c')).toEqual({ token: 'a.b.c', selectable: true });
    expect(offer('lineup.token.a.b.c')).toEqual({ token: 'a.b.c', selectable: false });
    expect(offer('lineup.v1')).toEqual({ token: undefined, selectable: true });
    expect(offer('lineup.v1,lineup.token.')).toEqual({ token: '', selectable: true });
    expect(socketOffer(request({}))).toEqual({ token: undefined, selectable: false });
  });

  it('prefers the header when there are both', () => {
    expect(socketOffer(request({ authorization: 'Bearer h', 'sec-websocket-protocol': 'lineup.v1, lineup.token.p' })).token).toBe('h');
  });
});
