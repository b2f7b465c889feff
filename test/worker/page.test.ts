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
});
