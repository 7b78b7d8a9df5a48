// The APK Signing Block before the central directory: signers of schemes v2 and v3 and their signatures.
import { constants, type KeyObject, verify, type X509Certificate } from 'node:crypto';
import type { Archive } from './archive-entry.ts';
import { Cursor } from './cursor.ts';
import { UnreadableArchive } from './errors.ts';
import { readCertificate, type VerificationBudget } from './signed-message.ts';

const magic = 'APK Sig Block 42';
const maxBlockBytes = 4 * 1024 * 1024;
const maxPairs = 100;
const maxSigners = 10;
const maxItems = 32;
/** Maximum number of verified signatures per package. */
const maxVerifications = 64;
const v2Id = 0x7109871a;
const v3Id = 0xf05368c0;
const v31Id = 0x1b93ad61;
const proofOfRotation = 0x3ba06f8c;
/** In a v2 signer: the newest scheme of the package. */
const newestScheme = 0xbeeff00d;
/** In a v3 signer: the first API level of the v3.1 signers. */
const rotationLevel = 0x559f8b02;

/** The offset of the block and its id-value pairs; null if the package has none. */
export interface SigningBlock {
  readonly offset: number;
  readonly v2: BlockSigner[] | null;
  readonly v3: BlockSigner[] | null;
  readonly v31: BlockSigner[] | null;
}

export interface BlockSigner {
  /** The signer's certificate if its signature of the signed data is valid, otherwise null. */
  readonly certificate: X509Certificate | null;
  /** Signed content digests by the id of the signature algorithm. */
  readonly digests: ReadonlyMap<number, Buffer>;
  /** API levels of the signer (v3); otherwise 0 and 2^31-1. */
  readonly minSdk: number;
  readonly maxSdk: number;
  /** Previous certificates, oldest first (v3 proof of rotation). */
  readonly lineage: readonly X509Certificate[];
  /** Signed numbers by the id of their attribute. */
  readonly attributes: ReadonlyMap<number, number>;
}

/**
 * Finds the signing block before the central directory. Returns its offset and size, or null if there is none. Throws if its
 * size is invalid.
 */
export async function findSigningBlock({
  reader,
  directoryOffset: end,
}: Pick<Archive, 'reader' | 'directoryOffset'>): Promise<{ offset: number; size: number } | null> {
  if (end < 32) return null;
  const footer = new Cursor(await reader.read(end - 24, 24), 'The signing block');
  if (footer.slice(8, 16).toString('latin1') !== magic) return null;
  const size = footer.u64(0);
  if (size < 24 || size > maxBlockBytes || size + 8 > end) return footer.refuse('has an invalid size');
  return { offset: end - size - 8, size };
}

/** Reads the signing block with two ranged reads. Throws if it's invalid. */
export async function readSigningBlock(archive: Archive): Promise<SigningBlock | null> {
  const place = await findSigningBlock(archive);
  if (place === null) return null;
  const { offset, size } = place;
  const block = new Cursor(await archive.reader.read(offset, size + 8), 'The signing block');
  if (block.u64(0) !== size) block.refuse('has contradictory sizes');
  const found = new Map<number, Buffer>();
  let position = 8;
  for (let pairs = 0; position < size - 16; pairs += 1) {
    const length = block.u64(position);
    if (length < 4 || pairs >= maxPairs || position + 8 + length > size - 16) block.refuse('is damaged');
    const id = block.u32(position + 8);
    if (!found.has(id)) found.set(id, block.slice(position + 12, length - 4));
    position += 8 + length;
  }
  const budget: VerificationBudget = { verifications: maxVerifications };
  const signers = (id: number, isV3: boolean) => {
    const value = found.get(id);
    return value ? readSigners(value, isV3, budget) : null;
  };
  return { offset, v2: signers(v2Id, false), v3: signers(v3Id, true), v31: signers(v31Id, true) };
}

/** Whether signers declare newer ones that aren't there. Android then assumes that someone removed them, and rejects the package. */
export function isStripped({ v2, v3, v31 }: SigningBlock): boolean {
  const isWithoutV3 =
    v3 === null && v31 === null && (v2 ?? []).some((signer) => signer.attributes.get(newestScheme) === 3);
  const firstLevel = Math.min(...(v31 ?? []).map(({ minSdk }) => minSdk));
  return (
    isWithoutV3 || (v3 ?? []).some(({ attributes }) => (attributes.get(rotationLevel) ?? firstLevel) !== firstLevel)
  );
}

// All fields have a 32-bit length prefix.
function readItems(bytes: Buffer, most: number): Buffer[] {
  const cursor = new Cursor(bytes, 'The signing block');
  const items: Buffer[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const length = cursor.u32(offset);
    if (items.length >= most) cursor.refuse('has too many parts');
    items.push(cursor.slice(offset + 4, length));
    offset += 4 + length;
  }
  return items;
}

function readPrefixed(cursor: Cursor, offset: number): { value: Buffer; end: number } {
  const length = cursor.u32(offset);
  return { value: cursor.slice(offset + 4, length), end: offset + 4 + length };
}

function readNumbered(bytes: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (const item of readItems(bytes, maxItems)) {
    const cursor = new Cursor(item, 'The signing block');
    const id = cursor.u32(0);
    if (found.has(id)) cursor.refuse('has an algorithm twice');
    found.set(id, readPrefixed(cursor, 4).value);
  }
  return found;
}

function readSigners(value: Buffer, isV3: boolean, budget: VerificationBudget): BlockSigner[] {
  const list = readPrefixed(new Cursor(value, 'The signing block'), 0).value;
  const signers = readItems(list, maxSigners).map((signer) => readSigner(signer, isV3, budget));
  if (signers.length === 0) throw new UnreadableArchive('The signing block has no signers.');
  return signers;
}

function readSigner(bytes: Buffer, isV3: boolean, budget: VerificationBudget): BlockSigner {
  const cursor = new Cursor(bytes, 'The signing block');
  const signed = readPrefixed(cursor, 0);
  const range = isV3 ? { min: cursor.u32(signed.end), max: cursor.u32(signed.end + 4) } : { min: 0, max: 0x7fffffff };
  const signatures = readPrefixed(cursor, signed.end + (isV3 ? 8 : 0));
  const publicKey = readPrefixed(cursor, signatures.end).value;

  const inner = new Cursor(signed.value, 'The signing block');
  const digests = readPrefixed(inner, 0);
  const certificates = readPrefixed(inner, digests.end);
  const isSameRange =
    !isV3 || (inner.u32(certificates.end) === range.min && inner.u32(certificates.end + 4) === range.max);
  const attributes = readPrefixed(inner, certificates.end + (isV3 ? 8 : 0)).value;
  const [encoded] = readItems(certificates.value, maxItems);
  const certificate = encoded === undefined ? null : readCertificate(encoded);
  const digestById = readNumbered(digests.value);
  const signatureById = readNumbered(signatures.value);
  const isVerified =
    isSameRange &&
    certificate !== null &&
    publicKey.equals(certificate.publicKey.export({ type: 'spki', format: 'der' })) &&
    hasSameOrder(digestById, signatureById) &&
    isSignedByAll(certificate.publicKey, signed.value, signatureById, budget);
  const lineage = isV3 ? readLineage(attributes, budget) : [];
  const numbers = readItems(attributes, maxItems).flatMap((item): [number, number][] =>
    item.length < 8 ? [] : [[item.readUInt32LE(0), item.readUInt32LE(4)]],
  );
  const isLastOfLineage = lineage.length === 0 || lineage.at(-1)?.fingerprint256 === certificate?.fingerprint256;
  return {
    certificate: isVerified && isLastOfLineage ? certificate : null,
    digests: digestById,
    minSdk: range.min,
    maxSdk: range.max,
    lineage,
    attributes: new Map(numbers),
  };
}

function hasSameOrder(a: ReadonlyMap<number, unknown>, b: ReadonlyMap<number, unknown>): boolean {
  return [...a.keys()].join() === [...b.keys()].join();
}

interface Algorithm {
  readonly hash: 'sha256' | 'sha512';
  /** Salt length of RSASSA-PSS in bytes; null for other algorithms. */
  readonly salt: number | null;
}

const algorithms: Readonly<Record<number, Algorithm>> = {
  257: { hash: 'sha256', salt: 32 },
  258: { hash: 'sha512', salt: 64 },
  259: { hash: 'sha256', salt: null },
  260: { hash: 'sha512', salt: null },
  513: { hash: 'sha256', salt: null },
  514: { hash: 'sha512', salt: null },
  769: { hash: 'sha256', salt: null },
  1057: { hash: 'sha256', salt: null },
  1059: { hash: 'sha256', salt: null },
  1061: { hash: 'sha256', salt: null },
};

// Devices check the strongest signature they support. Here all supported ones must be valid, and there must be at least one.
function isSignedByAll(
  key: KeyObject,
  data: Buffer,
  signatures: ReadonlyMap<number, Buffer>,
  budget: VerificationBudget,
): boolean {
  const known = [...signatures].filter(([id]) => algorithms[id] !== undefined);
  return known.length > 0 && known.every(([id, signature]) => isSignedWith(id, key, data, signature, budget));
}

function isSignedWith(
  id: number,
  key: KeyObject,
  data: Buffer,
  signature: Buffer,
  budget: VerificationBudget,
): boolean {
  const algorithm = algorithms[id];
  if (!algorithm) return false;
  budget.verifications -= 1;
  if (budget.verifications < 0) throw new UnreadableArchive('The signing block has too many signatures.');
  try {
    const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.salt ?? 0 };
    return verify(algorithm.hash, data, algorithm.salt === null ? key : pss, signature);
  } catch {
    return false;
  }
}

// Each level of the proof of rotation is signed with the key of the previous level.
function readLineage(attributes: Buffer, budget: VerificationBudget): X509Certificate[] {
  for (const attribute of readItems(attributes, maxItems)) {
    const cursor = new Cursor(attribute, 'The signing block');
    if (cursor.u32(0) !== proofOfRotation) continue;
    const certificates: X509Certificate[] = [];
    let parent: KeyObject | null = null;
    let algorithm = 0;
    for (const level of readItems(attribute.subarray(8), maxItems)) {
      const node = new Cursor(level, 'The signing block');
      const signed = readPrefixed(node, 0);
      const certificate = readCertificate(readPrefixed(new Cursor(signed.value, 'The signing block'), 0).value);
      const signature = readPrefixed(node, signed.end + 8).value;
      if (!certificate) return node.refuse('has an unreadable proof of rotation');
      if (parent && !isSignedWith(algorithm, parent, signed.value, signature, budget))
        node.refuse('has an invalid proof of rotation');
      algorithm = node.u32(signed.end + 4);
      parent = certificate.publicKey;
      certificates.push(certificate);
    }
    return certificates;
  }
  return [];
}
