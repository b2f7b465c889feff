/** How components reach the device host. */
import { createContext, useContext } from 'react';
import type { DeviceHost } from './host.ts';

const Host = createContext<DeviceHost | null>(null);

export const HostProvider = Host.Provider;

export function useHost(): DeviceHost {
  const host = useContext(Host);
  if (host === null) throw new Error('Used outside of HostProvider.');
  return host;
}
