// The network an address counts for: an IPv4 address itself, of IPv6 the first 64 bits, which one customer has whole.

const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/** An IPv4 address that came in the form of IPv6 (RFC 4291 section 2.5.5.2) as the IPv4 address; others unchanged. */
export function unmapAddress(address: string): string {
  const [, dotted, high, low] = MAPPED.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return address;
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
}

/** The network that limits count together, as a text that is the same for every address in it. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const plain = unmapAddress(address);
  if (!plain.includes(':')) return plain;
  const [bare = ''] = plain.split('%');
  const [head = '', tail] = bare.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const ending = tail === '' ? [] : tail.split(':');
    // A dotted quad at the end stands for two groups.
    const length = ending.length + (tail.includes('.') ? 1 : 0);
    while (groups.length + length < 8) groups.push('0');
    groups.push(...ending);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
