// The client's address: the peer's, or the one reported by trusted proxies.
import { BlockList, isIP } from 'node:net';
import { unmapAddress } from '../lib/network.ts';

const MAPPED_PREFIX_BITS = 96;

/** An entry with the client's port, as Azure Application Gateway writes it, or an IPv6 address in brackets. */
const WITH_PORT = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i;

export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string | null;

/**
 * Returns a function that determines the client's address. `trustedProxies` are addresses or CIDR ranges. X-Forwarded-For is
 * read from the right only while the hops are trusted, so that clients can't choose their address.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [written = '', prefix] = entry.split('/');
    const address = unmapAddress(written);
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    // The last 32 of the 128 bits of a mapped address are the IPv4 address.
    const bits = Number(prefix) - (address === written ? 0 : MAPPED_PREFIX_BITS);
    if (prefix === undefined) trusted.addAddress(address, family);
    else if (bits >= 0) trusted.addSubnet(address, bits, family);
    else trusted.addSubnet(written, Number(prefix), 'ipv6');
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
      const candidate = readHop(hop.trim());
      if (!isTrusted(address) || isIP(candidate) === 0) break;
      address = candidate;
    }
    return address;
  };
}

/** Returns the address of an entry of X-Forwarded-For, or other text that isn't one. */
function readHop(entry: string): string {
  const [, ipv4, ipv6] = WITH_PORT.exec(entry) ?? [];
  if (ipv6 !== undefined) return isIP(ipv6) === 6 ? unmapAddress(ipv6) : '';
  return unmapAddress(ipv4 ?? entry);
}
