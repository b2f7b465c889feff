/** An address taken apart for the eyes: which part of it decides where it leads, and what about it deserves a warning. */
import { parse } from 'tldts';

/** The parts, in order; put together they are exactly `href`. */
export interface AddressParts {
  /** What is opened. */
  href: string;
  scheme: string;
  /** Names below the domain, with their dot. */
  subdomain: string;
  /** What somebody registered, and answers for: `example.co.uk`. A bare host or number is all of it. */
  domain: string;
  /** Port, path, query and fragment. */
  rest: string;
  warnings: AddressWarning[];
}

/** `punycode`: letters of other alphabets, which can look like a name one knows. `insecure`: not encrypted. `number`: no name at all. */
export type AddressWarning = 'punycode' | 'insecure' | 'number';

/**
 * Takes an address apart as the browser understands it: hidden characters, other slashes and other digits are already resolved there.
 * Null when it is no http or https address.
 */
export function addressParts(address: string): AddressParts | null {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  const { domain: registered, isIp } = parse(url.hostname, { allowPrivateDomains: true });
  // A name may end with the dot of the root, which the list of public suffixes leaves out.
  const domain = registered === null ? url.hostname : registered + (url.hostname.endsWith('.') ? '.' : '');
  const scheme = `${url.protocol}//`;
  const warnings: AddressWarning[] = [];
  if (/(^|\.)xn--/.test(url.hostname)) warnings.push('punycode');
  if (isIp) warnings.push('number');
  if (url.protocol === 'http:') warnings.push('insecure');
  return {
    href: url.href,
    scheme,
    subdomain: url.hostname.slice(0, url.hostname.length - domain.length),
    domain,
    rest: url.href.slice(scheme.length + url.hostname.length),
    warnings,
  };
}
