// Writes small MaxMind DB files (format 2.0, records of 24 bits) for tests of locations.

export type MmdbValue = string | number | readonly MmdbValue[] | { readonly [key: string]: MmdbValue };

export interface MmdbOptions {
  type?: string;
  ipVersion?: 4 | 6;
  /** By network, such as 203.0.113.0/24 or 2001:db8::/32; a Buffer stands in the file as it is. */
  networks: Readonly<Record<string, MmdbValue | Buffer>>;
}

type Branch = number | { dataAt: number } | undefined;

/** A record in the shape of the databases of cities: names in English, either left out where undefined. */
export function placeOf(city: string | undefined, country: string | undefined): MmdbValue {
  return {
    ...(city === undefined ? {} : { city: { geoname_id: 1, names: { de: 'Stadt', en: city } } }),
    ...(country === undefined ? {} : { country: { iso_code: 'XX', names: { de: 'Land', en: country } } }),
  };
}

/** The bytes of a database that knows `networks` and nothing else. */
export function writeMmdb({ type = 'Test-City', ipVersion = 4, networks }: MmdbOptions): Buffer {
  const nodes: [Branch, Branch][] = [[undefined, undefined]];
  const data: Buffer[] = [];
  let dataLength = 0;
  for (const [network, value] of Object.entries(networks)) {
    hang(nodes, bitsOf(network, ipVersion), { dataAt: dataLength });
    const bytes = Buffer.isBuffer(value) ? value : encode(value);
    data.push(bytes);
    dataLength += bytes.length;
  }
  const tree = Buffer.alloc(nodes.length * 6);
  nodes.flat().forEach((branch, index) => {
    const record = typeof branch === 'object' ? nodes.length + 16 + branch.dataAt : (branch ?? nodes.length);
    tree.writeUIntBE(record, index * 3, 3);
  });
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: type,
    description: { en: 'For tests' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  });
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}

function hang(nodes: [Branch, Branch][], bits: readonly (0 | 1)[], leaf: Branch): void {
  let at = 0;
  bits.forEach((bit, depth) => {
    const node = nodes[at];
    if (node === undefined) throw new Error('no such node');
    if (depth === bits.length - 1) {
      node[bit] = leaf;
      return;
    }
    const next = node[bit];
    if (typeof next === 'number') at = next;
    else at = node[bit] = nodes.push([undefined, undefined]) - 1;
  });
}

/** IPv4 networks lie at ::/96 of an IPv6 tree. */
function bitsOf(network: string, ipVersion: 4 | 6): (0 | 1)[] {
  const [address = '', prefix] = network.split('/');
  const isV6 = address.includes(':');
  const groups = isV6 ? address.replace(/::$/, '').split(':') : address.split('.');
  const bits = groups.flatMap((group) =>
    isV6 ? digits(Number.parseInt(group, 16), 16) : digits(Number.parseInt(group, 10), 8),
  );
  const before = !isV6 && ipVersion === 6 ? digits(0, 96) : [];
  return [...before, ...bits.slice(0, Number(prefix))];
}

function digits(value: number, width: number): (0 | 1)[] {
  return Array.from(value.toString(2).padStart(width, '0'), (digit) => (digit === '1' ? 1 : 0));
}

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([head(2, text.length), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([head(6, 4), bytes]);
  }
  // A list is of an extended type: 7 + 4.
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 4]), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([head(7, entries.length), ...entries.flatMap(([key, inner]) => [encode(key), encode(inner)])]);
}

function head(type: number, size: number): Buffer {
  if (size < 29) return Buffer.from([(type << 5) | size]);
  if (size < 285) return Buffer.from([(type << 5) | 29, size - 29]);
  return Buffer.from([(type << 5) | 30, (size - 285) >> 8, (size - 285) & 0xff]);
}
