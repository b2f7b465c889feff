import { expect, it } from 'vitest';
import { canReach } from './reach.ts';

it('a page talks to its own relay and to every encrypted one, and to no other', () => {
  expect(canReach('http://192.168.1.7:9527', 'http://192.168.1.7:9527')).toBe(true);
  expect(canReach('https://other.example', 'http://192.168.1.7:9527')).toBe(true);
  expect(canReach('https://other.example', 'https://relay.example')).toBe(true);
  expect(canReach('http://192.168.1.7:9527', 'https://relay.example')).toBe(false);
  expect(canReach('http://192.168.1.8:9527', 'http://192.168.1.7:9527')).toBe(false);
});
