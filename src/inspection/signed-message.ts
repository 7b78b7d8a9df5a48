// Signed messages (CMS, RFC 5652) of provisioning profiles and v1 signatures: parsed by pkijs, verified by node:crypto.
import { createHash, verify, X509Certificate } from 'node:crypto';
import type { SignerInfo } from 'pkijs';
import { UnreadableArchive } from './errors.ts';

const largest = 4 * 1024 * 1024;
const maxCertificates = 32;
const maxSigners = 4;
const maxCandidates = 4;
/** Real messages have up to 350 values, plus one per kilobyte of chunked content. */
export const maxMessageNodes = 5_000;
const signedDataType = '1.2.840.113549.1.7.2';
const messageDigestType = '1.2.840.113549.1.9.4';

const hashes: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
  '2.16.840.1.101.3.4.2.4': 'sha224',
};

export interface SignedMessage {
  /** The content of the message, or null if the signature is detached. */
  readonly content: Buffer | null;
  readonly certificates: readonly X509Certificate[];
  readonly signers: readonly MessageSigner[];
}

export interface MessageSigner {
  readonly hash: string | null;
  /** DER of the signed attributes as a SET, or null if the signature covers the content itself. */
  readonly attributes: Buffer | null;
  readonly messageDigest: Buffer | null;
  readonly signature: Buffer;
  /** Serial number of the signer's certificate, upper-case hex like in X509Certificate; null if identified otherwise. */
  readonly serialNumber: string | null;
}

/** The number of signatures that may still be verified for a package, because keys can be crafted to make each of them slow. */
export interface VerificationBudget {
  verifications: number;
}

export interface MessageBounds {
  /** Maximum number of values in the message, which cost more than bytes. */
  nodes?: number;
  /** Whether to reject bytes after the message, because no signature covers them. */
  isWhole?: boolean;
}

/** Parses a CMS signed message in DER or BER of at most 4 MiB. Throws for other data. Doesn't verify signatures. */
export async function readSignedMessage(
  bytes: Buffer,
  { nodes = maxMessageNodes, isWhole = false }: MessageBounds = {},
): Promise<SignedMessage> {
  if (bytes.length > largest) throw new UnreadableArchive('The signature is too large.');
  const asn1 = await import('asn1js');
  const pki = await import('pkijs');
  try {
    const copy = new Uint8Array(bytes).buffer;
    const { offset, result } = asn1.fromBER(copy, { maxDepth: 64, maxNodes: nodes, parseEmbedded: false });
    if (offset === -1) throw new Error('no ASN.1');
    if (isWhole && offset !== bytes.length) throw new Error('bytes after the message');
    const info = new pki.ContentInfo({ schema: result });
    if (info.contentType !== signedDataType) throw new Error('no signed data');
    const message = new pki.SignedData({ schema: info.content });
    const content = message.encapContentInfo.eContent?.getValue();
    // Certificates are copied from the original bytes, because their fingerprints must not depend on re-encoding.
    const body: unknown = info.content;
    const members = body instanceof asn1.Sequence ? body.valueBlock.value : [];
    const set = members.find((member) => member.idBlock.tagClass === 3 && member.idBlock.tagNumber === 0);
    const encoded = set instanceof asn1.Constructed ? set.valueBlock.value : [];
    if (encoded.length > maxCertificates || message.signerInfos.length > maxSigners)
      throw new Error('too many signers');
    return {
      content: content === undefined ? null : Buffer.from(content),
      certificates: encoded.flatMap((node) => readCertificate(Buffer.from(node.valueBeforeDecodeView)) ?? []),
      signers: message.signerInfos.map((signer) => readSigner(signer, asn1)),
    };
  } catch (error) {
    throw new UnreadableArchive('The signature is not a readable CMS message.', { cause: error });
  }
}

/** Reads a certificate in DER. Returns null if it or its public key is unreadable. */
export function readCertificate(der: Buffer): X509Certificate | null {
  try {
    const certificate = new X509Certificate(der);
    // The key is decoded on first use, which throws for an invalid key.
    certificate.publicKey.export({ type: 'spki', format: 'der' });
    return certificate;
  } catch {
    return null;
  }
}

function readSigner(signer: SignerInfo, asn1: typeof import('asn1js')): MessageSigner {
  const attributes = signer.signedAttrs;
  const digest: unknown = attributes?.attributes.find((attribute) => attribute.type === messageDigestType)?.values[0];
  const sid: unknown = signer.sid;
  const serial = typeof sid === 'object' && sid !== null && 'serialNumber' in sid ? sid.serialNumber : null;
  return {
    hash: hashes[signer.digestAlgorithm.algorithmId] ?? null,
    attributes: attributes ? Buffer.from(attributes.encodedValue) : null,
    messageDigest: digest instanceof asn1.OctetString ? Buffer.from(digest.getValue()) : null,
    signature: Buffer.from(signer.signature.getValue()),
    serialNumber: serial instanceof asn1.Integer ? formatSerial(Buffer.from(serial.valueBlock.valueHexView)) : null,
  };
}

function formatSerial(bytes: Buffer): string {
  return bytes
    .toString('hex')
    .toUpperCase()
    .replace(/^(00)+(?=..)/, '');
}

/**
 * Returns the certificate in the message whose key signed `content` for `signer`, or null. Dates and issuers aren't checked. Throws
 * if the budget is spent.
 */
export function verifySigner(
  message: SignedMessage,
  signer: MessageSigner,
  content: Buffer,
  budget: VerificationBudget = { verifications: maxCandidates },
): X509Certificate | null {
  const { hash } = signer;
  if (hash === null) return null;
  let signed = content;
  if (signer.attributes) {
    const digest = createHash(hash).update(content).digest();
    if (!signer.messageDigest?.equals(digest)) return null;
    signed = signer.attributes;
  }
  const candidates = message.certificates.filter(
    (certificate) =>
      signer.serialNumber === null ||
      formatSerial(Buffer.from(evenHex(certificate.serialNumber), 'hex')) === signer.serialNumber,
  );
  for (const certificate of candidates.slice(0, maxCandidates)) {
    budget.verifications -= 1;
    if (budget.verifications < 0) throw new UnreadableArchive('The signature takes too long to verify.');
    if (isSignedBy(certificate, hash, signed, signer.signature)) return certificate;
  }
  return null;
}

function evenHex(hex: string): string {
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

function isSignedBy(certificate: X509Certificate, hash: string, signed: Buffer, signature: Buffer): boolean {
  try {
    return verify(hash, signed, certificate.publicKey, signature);
  } catch {
    return false;
  }
}
