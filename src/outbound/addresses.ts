// The addresses that requests to URLs of users can be sent to. Addresses are compared by their bits, regardless of notation.

import { isIP, isIPv4, isIPv6 } from 'node:net';
import { hostnameOf } from '../lib/url-host.ts';
import { writeReason } from './reasons.ts';

/** Also shown to users, in sentences about rejected addresses. */
export type AddressKind =
  | 'public'
  | 'private network'
  | 'loopback'
  | 'link-local'
  | 'instance metadata'
  | 'unspecified'
  | 'multicast'
  | 'reserved';

export interface AddressPolicy {
  allow_private_networks: boolean;
  allow_loopback: boolean;
  /** Ports of other protocols that are allowed nevertheless. */
  allow_ports?: readonly number[];
  /** What isn't sent, for the texts of rejections; webhooks by default. */
  what?: string;
  /** The table of the configuration that the policy is from, for the texts of rejections; webhooks by default. */
  table?: 'webhooks' | 'sso';
}

type Network = readonly [address: string, bits: number, kind: AddressKind];

// In both tables the first matching network decides.
const networks4: readonly Network[] = [
  // Clouds provide the credentials of a machine at this address; link-local 169.254.169.254 is below.
  ['100.100.100.200', 32, 'instance metadata'],
  ['168.63.129.16', 32, 'instance metadata'],
  ['192.0.0.192', 32, 'instance metadata'],
  ['0.0.0.0', 8, 'unspecified'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['10.0.0.0', 8, 'private network'],
  ['172.16.0.0', 12, 'private network'],
  ['192.168.0.0', 16, 'private network'],
  ['100.64.0.0', 10, 'private network'],
  ['198.18.0.0', 15, 'private network'],
  ['192.0.0.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
];

const networks6: readonly Network[] = [
  ['fd00:ec2::', 32, 'instance metadata'],
  ['fd20:ce::254', 128, 'instance metadata'],
  ['::', 128, 'unspecified'],
  ['::1', 128, 'loopback'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'private network'],
  ['fc00::', 7, 'private network'],
  ['ff00::', 8, 'multicast'],
  ['100::', 64, 'reserved'],
  // The position of the IPv4 address in these networks depends on the site (RFC 8215).
  ['64:ff9b:1::', 48, 'reserved'],
];

/** IPv6 networks that contain IPv4 addresses, with the position of the IPv4 address in bytes. */
const embeddings: readonly [address: string, bits: number, offset: number][] = [
  ['::ffff:0:0', 96, 12],
  ['::ffff:0:0:0', 96, 12],
  ['::', 96, 12],
  ['64:ff9b::', 96, 12],
  ['2002::', 16, 2],
];
/** Teredo inverts the bits of the client's IPv4 address (RFC 4380 section 4). */
const teredo = ['2001::', 32] as const;

/** Ports that browsers don't send requests to, because other protocols use them (WHATWG Fetch, "bad port"). */
const otherProtocols: ReadonlySet<number> = new Set([
  ...[
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
    111,
  ],
  ...[
    113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540,
  ],
  ...[
    548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000,
  ],
  ...[6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/**
 * Returns why requests can't be sent to an IP address, or undefined if they can. Anything but an IP address is
 * rejected.
 */
export function refusalOf(address: string, policy: AddressPolicy): string | undefined {
  const kind = kindOf(address);
  if (kind === 'public') return undefined;
  const what = whatOf(policy);
  const key = settings[kind];
  if (key === undefined) return writeReason('address_forbidden', { what, kind });
  if (policy[key]) return undefined;
  return writeReason('address_not_allowed', { what, kind, setting: `${policy.table ?? 'webhooks'}.${key}` });
}

/** The settings that allow addresses of a kind. */
const settings: Partial<Record<AddressKind, 'allow_private_networks' | 'allow_loopback'>> = {
  'private network': 'allow_private_networks',
  loopback: 'allow_loopback',
};

function whatOf({ what = 'webhooks' }: AddressPolicy): string {
  return what;
}

/**
 * Checks a URL without a lookup: its port, and its host if it is an IP address in any notation. Returns the reason or
 * undefined.
 */
export function refusalOfUrl(url: URL, policy: AddressPolicy): string | undefined {
  const host = hostnameOf(url);
  if (host === 'unix') return writeReason('socket_forbidden', { what: whatOf(policy) });
  return refusalOfPort(url, policy) ?? (isIP(host) === 0 ? undefined : refusalOf(host, policy));
}

function refusalOfPort({ port }: URL, { allow_ports: allowed = [] }: AddressPolicy): string | undefined {
  if (port === '0') return writeReason('port_zero');
  const isOther = otherProtocols.has(Number(port)) && !allowed.includes(Number(port));
  return isOther ? writeReason('port_reserved', { port }) : undefined;
}

/** Returns whether an IP address is public, that is outside of all special-purpose networks. */
export function isPublicAddress(address: string): boolean {
  return kindOf(address) === 'public';
}

/** Domains that are only resolved within a network (RFC 6761, RFC 6762, RFC 8375, RFC 9476). */
const LOCAL_DOMAINS = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa|test|example|invalid)$/;

/**
 * Returns whether servers of others can probably load a URL: https, and a host with a public address or a name in a public
 * domain. Doesn't resolve names.
 */
export function isPublicUrl(address: string): boolean {
  const { protocol } = new URL(address);
  const host = hostnameOf(address).replace(/\.$/, '').toLowerCase();
  if (protocol !== 'https:') return false;
  return isIP(host) === 0 ? host.includes('.') && !LOCAL_DOMAINS.test(host) : isPublicAddress(host);
}

function kindOf(address: string): AddressKind {
  const bytes = bytesOf(address);
  if (bytes === undefined) return 'reserved';
  if (bytes.length === 4) return kindIn(networks4, bytes);
  const kind = kindIn(networks6, bytes);
  if (kind !== 'public') return kind;
  for (const [network, bits, offset] of embeddings) {
    if (isWithin(bytes, network, bits)) return kindIn(networks4, bytes.subarray(offset, offset + 4));
  }
  if (isWithin(bytes, ...teredo)) {
    return kindIn(
      networks4,
      bytes.subarray(12).map((byte) => byte ^ 0xff),
    );
  }
  return 'public';
}

function kindIn(networks: readonly Network[], bytes: Uint8Array): AddressKind {
  return networks.find(([network, bits]) => isWithin(bytes, network, bits))?.[2] ?? 'public';
}

function isWithin(bytes: Uint8Array, network: string, bits: number): boolean {
  const base = bytesOf(network);
  if (base?.length !== bytes.length) return false;
  return bytes.every((byte, index) => {
    const rest = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff << (8 - rest)) & 0xff;
    return (byte & mask) === ((base[index] ?? 0) & mask);
  });
}

/** Returns the 4 or 16 bytes of an address in the notation of the system's resolver, or undefined for anything else. */
function bytesOf(address: string): Uint8Array | undefined {
  if (isIPv4(address)) return Uint8Array.from(address.split('.').map(Number));
  if (!isIPv6(address)) return undefined;
  // A zone is a network interface of this machine and isn't part of the address.
  const [bare = ''] = address.split('%');
  const [head = '', tail] = bare.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return Uint8Array.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
