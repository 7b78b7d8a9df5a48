// Creates certificates: key pairs, the authority's certificate, and the certificates it issues (RFC 5280).
import { createPrivateKey, type KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { Certificate, Extension, GeneralName } from 'pkijs';
import { SECOND } from '../lib/clock.ts';
import { addressBytes } from './names.ts';
import { toPem } from './pem.ts';

type Pki = typeof import('pkijs');
type Asn1 = typeof import('asn1js');

export interface MadeCertificate {
  /** PEM. */
  certificate: string;
  /** PKCS #8 in PEM. */
  privateKey: string;
}

export interface Validity {
  notBefore: Date;
  notAfter: Date;
}

const OID = {
  commonName: '2.5.4.3',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectAltName: '2.5.29.17',
  nameConstraints: '2.5.29.30',
  subjectKeyIdentifier: '2.5.29.14',
  authorityKeyIdentifier: '2.5.29.35',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  acmeIdentifier: '1.3.6.1.5.5.7.1.31',
} as const;

/** Bit positions of the key usage extension. */
const USAGE = { digitalSignature: 0, keyCertSign: 5, cRLSign: 6 } as const;
const MAIL_ADDRESS = 1;
const DNS_NAME = 2;
const WEB_ADDRESS = 6;
const IP_ADDRESS = 7;
/** A reserved host (RFC 2606). As the only permitted name, it excludes all others; an empty name is interpreted inconsistently. */
const RESERVED_HOST = 'taxiway.invalid';

/** iOS requires RSA or P-256 for servers. Profiles are signed with RSA, which every version supports. */
const ALGORITHMS = {
  ecdsa: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
} as const;

type KeyKind = keyof typeof ALGORITHMS;

/** Loads pkijs and asn1js, and the engine that makes them use node:crypto. */
export async function loadPki() {
  const [pki, asn1] = await Promise.all([import('pkijs'), import('asn1js')]);
  return { pki, asn1, engine: new pki.CryptoEngine({ name: 'node', crypto: webcrypto }) };
}

async function makeKeyPair(kind: KeyKind): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHMS[kind], true, ['sign', 'verify']);
}

const curves = new Map([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
]);

/** Returns the algorithm with which a private key signs, or undefined unless it is an RSA key or uses a NIST curve. */
export function signingAlgorithmOf({ asymmetricKeyType: kind, asymmetricKeyDetails: details }: KeyObject) {
  if (kind === 'rsa') return ALGORITHMS.rsa;
  const namedCurve = kind === 'ec' ? curves.get(details?.namedCurve ?? '') : undefined;
  return namedCurve === undefined ? undefined : { name: 'ECDSA', namedCurve };
}

/** Imports a private key in PEM for signing. Throws for other kinds of keys and encrypted keys. */
export async function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  const key = createPrivateKey(pem);
  const algorithm = signingAlgorithmOf(key);
  if (algorithm === undefined) throw new TypeError('the key must be RSA or use a NIST curve');
  return webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithm, false, ['sign']);
}

/**
 * Creates an authority that is restricted to the names: constraints list every host and address, and exclude all names of a kind
 * without entries (RFC 5280 section 4.2.1.10), including email addresses and URLs. It has the same key purposes as its
 * certificates, so it can't certify software or people.
 */
export async function makeAuthority(
  commonName: string,
  names: readonly string[],
  validity: Validity,
): Promise<MadeCertificate> {
  const { pki, asn1, engine } = await loadPki();
  const pair = await makeKeyPair('ecdsa');
  const certificate = startCertificate(pki, asn1, commonName, validity);
  setCommonName(pki, asn1, certificate.issuer, commonName);
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey, engine);
  const keyIdentifier = Buffer.from(await certificate.getKeyHash('SHA-1', engine));
  certificate.extensions = [
    extension(pki, OID.basicConstraints, true, new pki.BasicConstraints({ cA: true, pathLenConstraint: 0 }).toSchema()),
    keyUsage(pki, asn1, [USAGE.keyCertSign, USAGE.cRLSign]),
    extendedKeyUsage(pki, [OID.serverAuth, OID.emailProtection]),
    extension(pki, OID.nameConstraints, true, constrainNames(pki, asn1, names).toSchema()),
    extension(pki, OID.subjectKeyIdentifier, false, new asn1.OctetString({ valueHex: keyIdentifier })),
  ];
  await certificate.sign(pair.privateKey, 'SHA-256', engine);
  return finish(certificate, pair);
}

export interface LeafRequest {
  commonName: string;
  /** `server` for TLS with the names, `signer` for signing messages. */
  use: 'server' | 'signer';
  names: readonly string[];
  keyKind: KeyKind;
  validity: Validity;
}

/** Issues a certificate with a new key. */
export async function issueLeaf(authority: MadeCertificate, request: LeafRequest): Promise<MadeCertificate> {
  const { pki, asn1, engine } = await loadPki();
  const issuer = pki.Certificate.fromBER(derOf(authority.certificate));
  const pair = await makeKeyPair(request.keyKind);
  const leaf = startCertificate(pki, asn1, request.commonName, request.validity);
  leaf.issuer = issuer.subject;
  await leaf.subjectPublicKeyInfo.importKey(pair.publicKey, engine);
  const purpose = request.use === 'server' ? OID.serverAuth : OID.emailProtection;
  const own = Buffer.from(await leaf.getKeyHash('SHA-1', engine));
  const above = Buffer.from(await issuer.getKeyHash('SHA-1', engine));
  leaf.extensions = [
    extension(pki, OID.basicConstraints, true, new pki.BasicConstraints({ cA: false }).toSchema()),
    keyUsage(pki, asn1, [USAGE.digitalSignature]),
    extendedKeyUsage(pki, [purpose]),
    extension(pki, OID.subjectKeyIdentifier, false, new asn1.OctetString({ valueHex: own })),
    extension(
      pki,
      OID.authorityKeyIdentifier,
      false,
      new pki.AuthorityKeyIdentifier({ keyIdentifier: new asn1.OctetString({ valueHex: above }) }).toSchema(),
    ),
  ];
  if (request.names.length > 0) leaf.extensions.push(alternativeNames(pki, asn1, request.names));
  await leaf.sign(await importPrivateKey(authority.privateKey), 'SHA-256', engine);
  return finish(leaf, pair);
}

/** Creates the self-signed certificate for a TLS-ALPN-01 challenge of one host name (RFC 8737 section 3). */
export async function makeChallengeCertificate(
  name: string,
  digest: Uint8Array,
  validity: Validity,
): Promise<MadeCertificate> {
  const { pki, asn1, engine } = await loadPki();
  const pair = await makeKeyPair('ecdsa');
  const certificate = startCertificate(pki, asn1, 'ACME challenge', validity);
  setCommonName(pki, asn1, certificate.issuer, 'ACME challenge');
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey, engine);
  const answer = new asn1.OctetString({ valueHex: Uint8Array.from(digest).buffer });
  certificate.extensions = [alternativeNames(pki, asn1, [name]), extension(pki, OID.acmeIdentifier, true, answer)];
  await certificate.sign(pair.privateKey, 'SHA-256', engine);
  return finish(certificate, pair);
}

/** The size that F-Droid's own tools use. */
const REPOSITORY_KEY_BITS = 4096;

/** Creates a key with a certificate signed by itself, for a repository whose clients remember the certificate. */
export function makeRepositoryCertificate(commonName: string, validity: Validity): Promise<MadeCertificate> {
  return makeSelfSigned(commonName, validity, REPOSITORY_KEY_BITS);
}

/** Creates an RSA key with a certificate signed by itself, for others who are given the certificate. */
export async function makeSelfSigned(
  commonName: string,
  validity: Validity,
  modulusLength: number = ALGORITHMS.rsa.modulusLength,
): Promise<MadeCertificate> {
  const { pki, asn1, engine } = await loadPki();
  const pair = await webcrypto.subtle.generateKey({ ...ALGORITHMS.rsa, modulusLength }, true, ['sign', 'verify']);
  const certificate = startCertificate(pki, asn1, commonName, validity);
  setCommonName(pki, asn1, certificate.issuer, commonName);
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey, engine);
  await certificate.sign(pair.privateKey, 'SHA-256', engine);
  return finish(certificate, pair);
}

/** Creates a certificate request (PKCS #10) for the names in DER, and its new key. */
export async function makeRequest(names: readonly string[]): Promise<{ request: Buffer; privateKey: string }> {
  const { pki, asn1, engine } = await loadPki();
  const pair = await makeKeyPair('ecdsa');
  const request = new pki.CertificationRequest();
  request.version = 0;
  await request.subjectPublicKeyInfo.importKey(pair.publicKey, engine);
  const extensions = new pki.Extensions({ extensions: [alternativeNames(pki, asn1, names)] });
  // extensionRequest (RFC 2985 section 5.4.2)
  request.attributes = [new pki.Attribute({ type: '1.2.840.113549.1.9.14', values: [extensions.toSchema()] })];
  await request.sign(pair.privateKey, 'SHA-256', engine);
  return { request: Buffer.from(request.toSchema(true).toBER()), privateKey: await exportKey(pair.privateKey) };
}

function startCertificate(pki: Pki, asn1: Asn1, commonName: string, { notBefore, notAfter }: Validity): Certificate {
  const certificate = new pki.Certificate();
  certificate.version = 2;
  certificate.serialNumber = new asn1.Integer({ valueHex: randomSerial() });
  setCommonName(pki, asn1, certificate.subject, commonName);
  for (const [time, value] of [
    [certificate.notBefore, notBefore],
    [certificate.notAfter, notAfter],
  ] as const) {
    time.value = wholeSeconds(value);
    time.type = needsLongTime(value) ? 1 : 0;
  }
  return certificate;
}

/** UTCTime is required until 2049, GeneralizedTime afterwards (RFC 5280 section 4.1.2.5). */
export function needsLongTime(moment: Date): boolean {
  return moment.getUTCFullYear() >= 2050;
}

/** Removes the fraction of a second, which certificates can't have. */
export function wholeSeconds(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / SECOND) * SECOND);
}

/** Positive, 127 bits, without leading zeros, because DER has only one form of a number. */
function randomSerial(): ArrayBuffer {
  const bytes = Uint8Array.from(randomBytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.buffer;
}

function setCommonName(pki: Pki, asn1: Asn1, name: Certificate['subject'], value: string): void {
  const type = OID.commonName;
  name.typesAndValues = [new pki.AttributeTypeAndValue({ type, value: new asn1.Utf8String({ value }) })];
}

function extension(pki: Pki, extnID: string, critical: boolean, schema: { toBER(): ArrayBuffer }): Extension {
  return new pki.Extension({ extnID, critical, extnValue: schema.toBER() });
}

function keyUsage(pki: Pki, asn1: Asn1, bits: readonly number[]): Extension {
  let byte = 0;
  for (const bit of bits) byte |= 0x80 >> bit;
  const unusedBits = 7 - Math.max(...bits);
  return extension(
    pki,
    OID.keyUsage,
    true,
    new asn1.BitString({ valueHex: new Uint8Array([byte]).buffer, unusedBits }),
  );
}

function extendedKeyUsage(pki: Pki, keyPurposes: string[]): Extension {
  return extension(pki, OID.extendedKeyUsage, false, new pki.ExtKeyUsage({ keyPurposes }).toSchema());
}

function alternativeNames(pki: Pki, asn1: Asn1, names: readonly string[]): Extension {
  const list = new pki.GeneralNames({ names: names.map((name) => generalName(pki, asn1, name)) });
  return extension(pki, OID.subjectAltName, false, list.toSchema());
}

function generalName(pki: Pki, asn1: Asn1, name: string): GeneralName {
  if (isIP(name) === 0) return new pki.GeneralName({ type: DNS_NAME, value: name });
  return addressName(pki, asn1, addressBytes(name));
}

function addressName(pki: Pki, asn1: Asn1, bytes: Uint8Array): GeneralName {
  return new pki.GeneralName({
    type: IP_ADDRESS,
    value: new asn1.OctetString({ valueHex: Uint8Array.from(bytes).buffer }),
  });
}

function constrainNames(pki: Pki, asn1: Asn1, names: readonly string[]) {
  const subtree = (base: GeneralName) => new pki.GeneralSubtree({ base });
  const hosts = names.filter((name) => isIP(name) === 0);
  const addresses = names.filter((name) => isIP(name) !== 0).map(addressBytes);
  const permitted = [
    ...hosts.map((host) => subtree(new pki.GeneralName({ type: DNS_NAME, value: host }))),
    // An address is followed by its mask; here all bits count.
    ...addresses.map((bytes) =>
      subtree(addressName(pki, asn1, Buffer.concat([bytes, Buffer.alloc(bytes.length, 0xff)]))),
    ),
    ...([MAIL_ADDRESS, WEB_ADDRESS] as const).map((type) =>
      subtree(new pki.GeneralName({ type, value: RESERVED_HOST })),
    ),
  ];
  const excluded = [
    ...(hosts.length === 0 ? [subtree(new pki.GeneralName({ type: DNS_NAME, value: '' }))] : []),
    // All IPv4 and IPv6 addresses. Permitting one address family already excludes the other.
    ...(addresses.length === 0 ? [8, 32].map((size) => subtree(addressName(pki, asn1, Buffer.alloc(size)))) : []),
  ];
  return new pki.NameConstraints({
    permittedSubtrees: permitted,
    ...(excluded.length > 0 ? { excludedSubtrees: excluded } : {}),
  });
}

function derOf(pem: string): ArrayBuffer {
  const body = pem.replace(/-----[^-]+-----|\s/g, '');
  return Uint8Array.from(Buffer.from(body, 'base64')).buffer;
}

async function finish(certificate: Certificate, pair: webcrypto.CryptoKeyPair): Promise<MadeCertificate> {
  return {
    certificate: toPem('CERTIFICATE', new Uint8Array(certificate.toSchema(true).toBER())),
    privateKey: await exportKey(pair.privateKey),
  };
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return toPem('PRIVATE KEY', new Uint8Array(await webcrypto.subtle.exportKey('pkcs8', key)));
}
