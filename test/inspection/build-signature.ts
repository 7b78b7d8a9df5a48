// Writes certificates, CMS messages, provisioning profiles and APK signatures for tests, with keys made on the spot.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { integer, nothing, octetPieces, octets, oid, sequence, set, tlv } from '../support/der.ts';

const sha256 = sequence(oid('2.16.840.1.101.3.4.2.1'), nothing);
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));

export interface Identity {
  readonly key: KeyObject;
  readonly publicKey: Buffer;
  readonly certificate: Buffer;
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
  readonly issuerAndSerial: Buffer;
}

/** An EC P-256 key with a self-signed certificate for CN=`name`, valid 2020 to 2045. */
export function createIdentity(name: string): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const subject = sequence(set(sequence(oid('2.5.4.3'), tlv(0x0c, Buffer.from(name)))));
  const validity = sequence(tlv(0x17, Buffer.from('200101000000Z')), tlv(0x17, Buffer.from('450101000000Z')));
  const body = sequence(tlv(0xa0, integer(2)), integer(7), ecdsaWithSha256, subject, validity, subject, spki);
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, ecdsaWithSha256, tlv(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey,
    publicKey: spki,
    certificate,
    fingerprint: createHash('sha256').update(certificate).digest('hex'),
    issuerAndSerial: sequence(subject, integer(7)),
  };
}

/**
 * A CMS message over `content`, which it carries unless it is detached: whole, or in pieces of so many bytes. `invalidSigners` have
 * signatures of something else.
 */
export function buildSignedMessage(
  identity: Identity,
  content: Buffer,
  {
    isDetached = false,
    pieceSize,
    invalidSigners = 0,
  }: { isDetached?: boolean; pieceSize?: number | undefined; invalidSigners?: number } = {},
): Buffer {
  const attributes = Buffer.concat([
    sequence(oid('1.2.840.113549.1.9.3'), set(oid('1.2.840.113549.1.7.1'))),
    sequence(oid('1.2.840.113549.1.9.4'), set(octets(createHash('sha256').update(content).digest()))),
  ]);
  const signerOf = (signed: Buffer) =>
    sequence(
      integer(1),
      identity.issuerAndSerial,
      sha256,
      tlv(0xa0, attributes),
      ecdsaWithSha256,
      octets(sign('sha256', signed, identity.key)),
    );
  const invalid = Array.from({ length: invalidSigners }, () => signerOf(Buffer.from('else')));
  const whole = pieceSize === undefined ? octets(content) : octetPieces(content, pieceSize);
  const carried = isDetached ? [] : [tlv(0xa0, whole)];
  const data = sequence(
    integer(1),
    set(sha256),
    sequence(oid('1.2.840.113549.1.7.1'), ...carried),
    tlv(0xa0, identity.certificate),
    set(...invalid, signerOf(set(attributes))),
  );
  return sequence(oid('1.2.840.113549.1.7.2'), tlv(0xa0, data));
}

function prefixed(...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([number(body.length), body]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

const ecdsaSha256 = 0x0201;
const sha512Algorithms = new Set([0x0104, 0x0202]);

/** Digest of contents as scheme v2 defines it, over sections in 1 MiB chunks. */
export function digestSections(sections: readonly Buffer[]): Buffer {
  const digests: Buffer[] = [];
  for (const section of sections) {
    for (let offset = 0; offset < section.length; offset += 1024 * 1024) {
      const part = section.subarray(offset, offset + 1024 * 1024);
      digests.push(
        createHash('sha256')
          .update(Buffer.from([0xa5]))
          .update(number(part.length))
          .update(part)
          .digest(),
      );
    }
  }
  return createHash('sha256')
    .update(Buffer.from([0x5a]))
    .update(number(digests.length))
    .update(Buffer.concat(digests))
    .digest();
}

interface SignerOptions {
  readonly algorithms?: readonly number[] | undefined;
  /** Ids and values of the additional attributes. */
  readonly attributes?: readonly (readonly [id: number, value: number])[];
  /** The first and last API level of a signer of scheme v3. */
  readonly levels?: readonly [number, number];
}

/** One signer of scheme v2 or v3 over the digest of the contents, which it signs once under each algorithm's id. */
export function buildBlockSigner(
  identity: Identity,
  digest: Buffer,
  { algorithms = [ecdsaSha256], attributes = [], levels = undefined }: SignerOptions = {},
): Buffer {
  const each = (value: (id: number) => Buffer) => algorithms.map((id) => prefixed(number(id), prefixed(value(id))));
  const range = Buffer.concat((levels ?? []).map(number));
  const signed = Buffer.concat([
    prefixed(...each(() => digest)),
    prefixed(prefixed(identity.certificate)),
    range,
    prefixed(...attributes.map(([id, value]) => prefixed(number(id), number(value)))),
  ]);
  const signatureOf = (id: number) => sign(sha512Algorithms.has(id) ? 'sha512' : 'sha256', signed, identity.key);
  return prefixed(prefixed(signed), range, prefixed(...each(signatureOf)), prefixed(identity.publicKey));
}

/** Ids of the parts of a signing block. */
const blockIds = { v2: 0x7109871a, v3: 0xf05368c0, v31: 0x1b93ad61 };

/** The signing block with the signers of each scheme. */
export function buildSigningBlock(schemes: { readonly [scheme in keyof typeof blockIds]?: readonly Buffer[] }): Buffer {
  const pairs = Buffer.concat(
    Object.entries(schemes).map(([scheme, signers]) => {
      const value = prefixed(...signers);
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(value.length + 4));
      return Buffer.concat([length, number(blockIds[scheme as keyof typeof blockIds]), value]);
    }),
  );
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(pairs.length + 24));
  return Buffer.concat([size, pairs, size, Buffer.from('APK Sig Block 42')]);
}

/** The three files of scheme v1 for the entries of a package: list, signature file, signature. */
export function buildJarSignature(
  identity: Identity,
  entries: readonly { name: string; data: Buffer }[],
  extraLine = 'Created-By: 1.0',
): { name: string; data: Buffer }[] {
  const digest = (data: Buffer | string) => createHash('sha256').update(data).digest('base64');
  const section = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`;
  const list = entries.map(({ name, data }) => section([`Name: ${name}`, `SHA-256-Digest: ${digest(data)}`]));
  const manifest = `${section(['Manifest-Version: 1.0'])}${list.join('')}`;
  const signed = section(['Signature-Version: 1.0', extraLine, `SHA-256-Digest-Manifest: ${digest(manifest)}`]);
  return [
    { name: 'META-INF/MANIFEST.MF', data: Buffer.from(manifest) },
    { name: 'META-INF/CERT.SF', data: Buffer.from(signed) },
    { name: 'META-INF/CERT.EC', data: buildSignedMessage(identity, Buffer.from(signed), { isDetached: true }) },
  ];
}
