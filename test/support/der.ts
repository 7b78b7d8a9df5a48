// Writes DER, or BER with indefinite lengths, for tests that build certificates and messages.

/** A value with its tag and length. */
export function tlv(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const used = length.subarray(length.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.from([tag, 0x80 | used.length]), used, body]);
}

export const sequence = (...content: Buffer[]) => tlv(0x30, ...content);
export const set = (...content: Buffer[]) => tlv(0x31, ...content);
export const octets = (content: Buffer) => tlv(0x04, content);
export const integer = (value: number) => tlv(0x02, Buffer.from([value]));
export const nothing = tlv(0x05);

/** An object identifier, given with dots. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return tlv(0x06, Buffer.from(bytes));
}

/** A constructed value of indefinite length, as only BER knows it. */
export const indefinite = (tag: number, ...content: Buffer[]) =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...content, Buffer.from([0, 0])]);

/** Octets in several pieces, as only BER knows them. */
export function octetPieces(content: Buffer, size: number): Buffer {
  const pieces: Buffer[] = [];
  for (let start = 0; start < content.length; start += size) pieces.push(octets(content.subarray(start, start + size)));
  return indefinite(0x24, ...pieces);
}
