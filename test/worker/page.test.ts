import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';

describe('the deployed Worker', () => {
  it('says that it is up', async () => {
    const answer = await exports.default.fetch('https://relay.test/healthz');
    expect(await answer.json()).toMatchObject({ ok: true, name: 'lineup-relay', protocol: 1 });
  });

  it.each(['/', '/some/deep/link'])('serves the web app at %s, with its Content-Security-Policy', async (path) => {
    const answer = await exports.default.fetch(`https://relay.test${path}`, { headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await answer.text()).toContain('The web app of tests');
  });

  it('lets the app frame the surface page and nothing else', async () => {
    const answer = await exports.default.fetch('https://relay.test/');
    expect(answer.headers.get('content-security-policy')).toContain('frame-src https://relay.test/surface-frame;');
  });

  it('serves the surface page with an origin that nobody has, no network, and one place to be shown in', async () => {
    const answer = await exports.default.fetch('https://relay.test/surface-frame');
    expect(answer.status).toBe(200);
    const policy = answer.headers.get('content-security-policy')?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(['sandbox allow-scripts', "connect-src 'none'", "frame-src 'none'", 'frame-ancestors https://relay.test']),
    );
    expect(answer.headers.get('connection-allowlist')).toBe('()');
    expect(answer.headers.get('permissions-policy')).toContain('camera=()');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('shows surfaces from the other name of this machine, and in no foreign app', async () => {
    const sent = await exports.default.fetch('http://127.0.0.1:8787/surface-frame', { redirect: 'manual' });
    expect(sent.headers.get('location')).toBe('http://localhost:8787/surface-frame?host=http%3A%2F%2F127.0.0.1%3A8787');
    const there = await exports.default.fetch('http://localhost:8787/surface-frame?host=http%3A%2F%2F127.0.0.1%3A8787');
    expect(there.headers.get('content-security-policy')).toContain('frame-ancestors http://127.0.0.1:8787');
    const foreign = await exports.default.fetch('https://relay.test/surface-frame?host=https%3A%2F%2Fevil.example');
    expect(foreign.status).toBe(404);
  });
});
