import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isLoopback, networkAddresses, shownOrigin } from './addresses.ts';

const ipv4 = (address: string, internal = false): NetworkInterfaceInfo => ({
  address,
  internal,
  family: 'IPv4',
  netmask: '255.255.255.0',
  mac: '00:00:00:00:00:00',
  cidr: `${address}/24`,
});

describe('where a phone finds this machine', () => {
  it('is a network that a phone can be in, before those of containers and tunnels', () => {
    const interfaces = { lo: [ipv4('127.0.0.1', true)], docker0: [ipv4('172.17.0.1')], tun0: [ipv4('10.8.0.2')], wlan0: [ipv4('192.168.1.100')] };
    expect(networkAddresses(interfaces)).toEqual(['192.168.1.100', '172.17.0.1', '10.8.0.2']);
    expect(networkAddresses({ eth0: [ipv4('169.254.1.1')], en1: [ipv4('10.0.0.5')] })[0]).toBe('10.0.0.5');
  });

  it('is shown for a server that listens everywhere, and the host itself for one that does not', () => {
    expect(shownOrigin('0.0.0.0', 9527, ['192.168.1.100'])).toBe('http://192.168.1.100:9527');
    expect(shownOrigin('::', 9527, [])).toBe('http://127.0.0.1:9527');
    expect(shownOrigin('fd00::1', 9527, ['192.168.1.100'])).toBe('http://[fd00::1]:9527');
  });

  it('is not an address that only this machine has', () => {
    expect(['localhost', '127.0.0.1', '127.8.8.8', '::1', '[::1]'].every(isLoopback)).toBe(true);
    expect(['192.168.1.100', 'localhost.example.org', 'home.local'].some(isLoopback)).toBe(false);
  });
});
