// The network of an address: the address itself for IPv4, the first 64 bits for IPv6, because one customer controls all of them.
import { isIPv6 } from 'node:net';

const GROUPS = 8;

/** Returns the eight groups of an IPv6 address in any spelling (RFC 4291 section 2.2), or undefined for other text. */
function groupsOf(address: string): number[] | undefined {
  if (!isIPv6(address)) return undefined;
  const [bare = ''] = address.split('%');
  const [head = [], tail] = bare.split('::').map((part) => (part === '' ? [] : part.split(':').flatMap(readGroup)));
  if (tail === undefined) return head;
  return [...head, ...Array<number>(GROUPS - head.length - tail.length).fill(0), ...tail];
}

/** Reads one group, or two for a dotted quad at the end. */
function readGroup(text: string): number[] {
  if (!text.includes('.')) return [Number.parseInt(text, 16)];
  const [first = 0, second = 0, third = 0, fourth = 0] = text.split('.').map(Number);
  return [first * 256 + second, third * 256 + fourth];
}

/** Converts an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) in any spelling to IPv4. Returns other addresses unchanged. */
export function unmapAddress(address: string): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address);
  const isMapped = groups !== undefined && groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (!isMapped) return address;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

/** Returns the network that limits count by. The text is the same for every address of the network. */
export function networkOf(address: string): string {
  const plain = unmapAddress(address);
  const groups = groupsOf(plain);
  if (groups === undefined) return plain;
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
