/** The HTTP calls (§3): what is asked, and what becomes of every kind of answer. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NetworkError, RelayError } from './errors.ts';
import { RelayHttp } from './http.ts';

interface Call {
  method: string;
  path: string;
  token: string | null;
  body: unknown;
}

function relay(answer: Response | Error = Response.json({})) {
  const calls: Call[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const text = await request.text();
    const isJson = request.headers.get('content-type') === 'application/json';
    const body: unknown = isJson ? JSON.parse(text) : text;
    calls.push({ method: request.method, path: url.pathname + url.search, token: request.headers.get('authorization'), body });
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
  return { calls, fetch, http: new RelayHttp({ origin: 'https://relay.example', token: () => 'tok', fetch }) };
}

const refused = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message: 'why' } }, { status, headers });

afterEach(() => vi.unstubAllGlobals());

describe('what is asked', () => {
  it.each<[string, (http: RelayHttp) => Promise<unknown>, Partial<Call>, unknown?]>([
    [
      'history',
      (http) => http.history('cv_1', { before: 9, limit: 20 }),
      { method: 'GET', path: '/v1/conversations/cv_1/messages?before=9&limit=20' },
    ],
    ['the newest page', (http) => http.history('cv_1'), { path: '/v1/conversations/cv_1/messages' }],
    [
      'a message',
      (http) => http.postMessage('cv_1', { id: 'm', type: 'text', payload: { content: 'x' } }),
      { method: 'POST', path: '/v1/conversations/cv_1/messages', body: { v: 1, id: 'm', type: 'text', payload: { content: 'x' } } },
    ],
    ['a conversation', (http) => http.createConversation('T'), { method: 'POST', path: '/v1/conversations', body: { title: 'T' } }],
    ['a name', (http) => http.renameConversation('cv_1', null), { method: 'PATCH', path: '/v1/conversations/cv_1', body: { title: null } }],
    ['a pairing', (http) => http.createPairing({ ttl_s: 60 }), { method: 'POST', path: '/v1/pairings', body: { ttl_s: 60 } }],
    ['a pairing that was made', (http) => http.pairing('pr_1'), { path: '/v1/pairings/pr_1' }],
    ['a token', (http) => http.refreshToken(), { method: 'POST', path: '/v1/token' }],
    ['an id that is none', (http) => http.history('../../x?y'), { path: '/v1/conversations/..%2F..%2Fx%3Fy/messages' }],
    [
      'an upload',
      (http) => http.upload('cv_1', new Uint8Array([104, 105]), 'text/plain'),
      { method: 'POST', path: '/v1/conversations/cv_1/files', body: 'hi' },
    ],
  ])('%s', async (_name, call, expected) => {
    const { calls, http } = relay();
    await call(http);
    expect(calls).toEqual([{ ...calls[0], token: 'Bearer tok', ...expected }]);
  });

  it('health and redemption need no token, enrolment the owner key', async () => {
    const { calls, fetch } = relay();
    await RelayHttp.health('https://relay.example', fetch);
    await RelayHttp.redeem('https://relay.example', 'ABCD2345', { name: 'Phone', platform: 'web' }, fetch);
    await RelayHttp.enrol('https://relay.example', 'owner', { name: 'Agent' }, fetch);
    expect(calls.map(({ token }) => token)).toEqual([null, null, 'Bearer owner']);
    expect(calls[1]).toMatchObject({ path: '/v1/pairings/redeem', body: { code: 'ABCD2345', device: { name: 'Phone', platform: 'web' } } });
  });
});

describe('what is answered', () => {
  it('lists come out of their envelopes', async () => {
    expect(await relay(Response.json({ conversations: [{ conversation_id: 'cv_1' }] })).http.conversations()).toEqual([{ conversation_id: 'cv_1' }]);
    expect(await relay(Response.json({ devices: [] })).http.devices()).toEqual([]);
    const { calls, http } = relay(Response.json({ entries: [{ call_id: 'c' }] }));
    expect(await http.audit('cv_1', 5)).toEqual([{ call_id: 'c' }]);
    expect(calls[0]?.path).toBe('/v1/conversations/cv_1/audit?limit=5');
  });

  it('204 is nothing', async () => {
    expect(await relay(new Response(null, { status: 204 })).http.unpair('dv_1')).toBeUndefined();
    expect(await relay(new Response(null, { status: 204 })).http.deleteConversation('cv_1')).toBeUndefined();
  });

  it('a file comes with its type', async () => {
    const { http } = relay(new Response('hi', { headers: { 'content-type': 'text/plain' } }));
    const file = await http.download('cv_1', 'fl_1');
    expect([await file.text(), file.type]).toEqual(['hi', 'text/plain']);
  });

  it('a refusal carries code, status and the seconds to wait', async () => {
    const { http } = relay(refused(429, 'rate_limited', { 'retry-after': '17' }));
    const error = await http.refreshToken().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RelayError);
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, retryAfter: 17, retryable: true, message: 'why' });
    await expect(relay(refused(404, 'not_found')).http.download('cv_1', 'fl_1')).rejects.toMatchObject({ code: 'not_found', retryable: false });
  });

  it.each(['<h1>Bad gateway</h1>', '{}', '{"error":null}', '{"error":{"code":5,"message":"x"}}', ''])(
    'a refusal by something else is one too: %s',
    async (body) => {
      const { http } = relay(new Response(body, { status: 502 }));
      await expect(http.devices()).rejects.toMatchObject({ name: 'RelayError', code: 'internal', status: 502, retryable: true });
    },
  );

  it('no answer is another error than a refusal', async () => {
    const error = await relay(new TypeError('fetch failed'))
      .http.devices()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ cause: new TypeError('fetch failed') });
    await expect(relay(new Response('{"devices":')).http.devices()).rejects.toBeInstanceOf(NetworkError);
  });
});

describe('an upload with progress', () => {
  class FakeRequest extends EventTarget {
    static latest: FakeRequest;
    upload = new EventTarget();
    status = 0;
    responseText = '';
    headers: Record<string, string> = {};
    constructor() {
      super();
      FakeRequest.latest = this;
    }
    open(): void {}
    setRequestHeader(name: string, value: string): void {
      this.headers[name] = value;
    }
    getResponseHeader(): string | null {
      return null;
    }
    send(): void {}
    answers(status: number, body: string): void {
      this.status = status;
      this.responseText = body;
      this.dispatchEvent(new Event('load'));
    }
  }

  async function begin(onProgress = (_sent: number, _total: number): void => undefined) {
    vi.stubGlobal('XMLHttpRequest', FakeRequest);
    const uploading = relay().http.upload('cv_1', new Uint8Array(3), 'image/png', onProgress);
    await vi.waitFor(() => FakeRequest.latest.headers['content-type'] === 'image/png');
    return { uploading, request: FakeRequest.latest };
  }

  it('tells how far it is', async () => {
    const progress: number[][] = [];
    const { uploading, request } = await begin((sent, total) => void progress.push([sent, total]));
    request.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded: 2, total: 3 }));
    request.answers(201, '{"file_id":"fl_1"}');
    expect(await uploading).toEqual({ file_id: 'fl_1' });
    expect(progress).toEqual([[2, 3]]);
    expect(request.headers.authorization).toBe('Bearer tok');
  });

  it('fails as the other calls do', async () => {
    const tooLarge = await begin();
    tooLarge.request.answers(413, '{"error":{"code":"frame_too_large","message":"m"}}');
    await expect(tooLarge.uploading).rejects.toMatchObject({ name: 'RelayError', code: 'frame_too_large' });
    const broken = await begin();
    broken.request.dispatchEvent(new Event('error'));
    await expect(broken.uploading).rejects.toBeInstanceOf(NetworkError);
    const cut = await begin();
    cut.request.answers(201, '{"file');
    await expect(cut.uploading).rejects.toBeInstanceOf(NetworkError);
  });
});
