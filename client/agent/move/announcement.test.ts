import { describe, expect, it } from 'vitest';
import { announcement } from './announcement.ts';

describe('the announcement', () => {
  it('of a direct machine says in both languages that the link works in its network alone', () => {
    const said = announcement('http://192.168.1.7:9527/#pair=K7Q29FXM&conversation=cv_1');
    expect(said.match(/\[192\.168\.1\.7:9527\]\(http:\/\/192\.168\.1\.7:9527\/#pair=K7Q29FXM&conversation=cv_1\)/g)).toHaveLength(2);
    expect(said).toContain('only in the network of that machine');
    expect(said).toContain('同一个网络');
  });

  it('of a relay does not', () => {
    const said = announcement('https://relay.example/#pair=K7Q29FXM&conversation=cv_1');
    expect(said).toContain('[relay.example](https://relay.example/#pair=');
    expect(said).not.toMatch(/network|网络/);
  });
});
