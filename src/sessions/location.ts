// The approximate location of an IP address, from the address itself and the operator's location database.
import { BlockList, isIP } from 'node:net';
import { unmapAddress } from '../lib/network.ts';
import type { FindPlace } from './location-database.ts';

const privateRanges: readonly (readonly [address: string, prefix: number, family: 'ipv4' | 'ipv6'])[] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
];

const privateNetworks = buildList();

function buildList(): BlockList {
  const list = new BlockList();
  for (const [address, prefix, family] of privateRanges) list.addSubnet(address, prefix, family);
  return list;
}

/**
 * Returns `private network` for loopback, link-local and private addresses (RFC 1918, RFC 4193), or the result of
 * `findPlace` for others, or null if unknown.
 */
export function approximateLocation(address: string | null, findPlace?: FindPlace): string | null {
  const plain = unmapAddress(address ?? '');
  const version = isIP(plain);
  if (version === 0) return null;
  if (privateNetworks.check(plain, version === 6 ? 'ipv6' : 'ipv4')) return 'private network';
  return findPlace?.(plain) ?? null;
}
