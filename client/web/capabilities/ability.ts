/** What this browser can do at all, on this page: some of it only exists on pages that are served securely. */
import type { CapabilityName } from '../../../src/protocol/capabilities.ts';

export function browserCan(name: CapabilityName): boolean {
  // Missing on pages that are not served securely, whatever the types say.
  const { clipboard, geolocation } = navigator as Partial<Pick<Navigator, 'clipboard' | 'geolocation'>>;
  switch (name) {
    case 'clipboard.write':
      return clipboard !== undefined;
    case 'device.location':
      return geolocation !== undefined && isSecureContext;
    default:
      return true;
  }
}
