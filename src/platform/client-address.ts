// The client's address: the peer's, or what trusted proxies say of it.
import { BlockList, isIP } from 'node:net';
import { unmapAddress } from './network.ts';

export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string | null;

/**
 * `trustedProxies` are addresses or CIDR ranges. X-Forwarded-For is read from the right only as far as the hops are
 * trusted, so that a client cannot choose its address.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  const isTrusted = (address: string) => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
  return (peer, forwardedFor) => {
    if (peer === undefined) return null;
    let address = unmapAddress(peer);
    if (forwardedFor === undefined) return address;
    for (const hop of forwardedFor.split(',').reverse()) {
      const candidate = unmapAddress(hop.trim());
      if (!isTrusted(address) || isIP(candidate) === 0) break;
      address = candidate;
    }
    return address;
  };
}
