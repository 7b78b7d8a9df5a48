// A simulated phone with device certificates that signs valid and invalid responses.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readPlist } from '../../src/inspection/plist.ts';
import { readSignedMessage } from '../../src/inspection/signed-message.ts';
import { buildBinaryPlist, buildXmlPlist } from '../inspection/build-plist.ts';
import { indefinite, integer, nothing, octetPieces, octets, oid, sequence, set, tlv } from '../support/der.ts';

export interface Holder {
  key: KeyObject;
  /** DER. */
  certificate: Buffer;
  pem: string;
  subject: Buffer;
  issuer: Buffer;
  serial: Buffer;
}

const RSA_BITS = 1024;
const RSA = '1.2.840.113549.1.1.1';
const RSA_WITH = { sha1: '1.2.840.113549.1.1.5', sha256: '1.2.840.113549.1.1.11' } as const;
const DIGEST = { sha1: '1.3.14.3.2.26', sha256: '2.16.840.1.101.3.4.2.1' } as const;
type Digest = keyof typeof DIGEST;

const nameOf = (commonName: string) => sequence(set(sequence(oid('2.5.4.3'), tlv(0x0c, Buffer.from(commonName)))));

export interface HolderOptions {
  /** Who certifies it; itself when nobody does. */
  issuer?: Holder;
  isAuthority?: boolean;
  digest?: Digest;
  /** The end, as `YYMMDDhhmmssZ`. */
  until?: string;
  /** The issuer's name, anyone who really signs. */
  claims?: Buffer;
}

let serials = 0;

/** More than any test compares with each other. Creating a pair takes as long as registering a device. */
const KEY_PAIRS = 24;
const keyPairs: { privateKey: KeyObject; publicKey: KeyObject }[] = [];
let holders = 0;

/** The keys of the next holder, which only one made long before has too. */
function nextKeys() {
  const turn = holders % KEY_PAIRS;
  holders += 1;
  keyPairs[turn] ??= generateKeyPairSync('rsa', { modulusLength: RSA_BITS });
  return keyPairs[turn];
}

/** A key and a certificate for it. */
export function makeHolder(commonName: string, options: HolderOptions = {}): Holder {
  const { issuer, isAuthority = false, digest = 'sha256', until = '450101000000Z' } = options;
  const { privateKey, publicKey } = nextKeys();
  const algorithm = sequence(oid(RSA_WITH[digest]), nothing);
  const subject = nameOf(commonName);
  const issuerName = options.claims ?? issuer?.subject ?? subject;
  serials += 1;
  const serial = integer(serials);
  const validity = sequence(tlv(0x17, Buffer.from('070101000000Z')), tlv(0x17, Buffer.from(until)));
  const truth = tlv(0x01, Buffer.from([0xff]));
  const constraints = sequence(oid('2.5.29.19'), truth, octets(isAuthority ? sequence(truth) : sequence()));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(
    tlv(0xa0, integer(2)),
    serial,
    algorithm,
    issuerName,
    validity,
    subject,
    spki,
    tlv(0xa3, sequence(constraints)),
  );
  const signature = sign(digest, body, issuer?.key ?? privateKey);
  const certificate = sequence(body, algorithm, tlv(0x03, Buffer.from([0]), signature));
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey, certificate, pem, subject, issuer: issuerName, serial };
}

/** A laboratory: an authority for devices below two others, and a device of it. */
export interface Laboratory {
  root: Holder;
  middle: Holder;
  authority: Holder;
  device: Holder;
  /** What a device sends along. */
  chain: Buffer[];
}

export function makeLaboratory(name = 'Test'): Laboratory {
  const root = makeHolder(`${name} Root CA`, { isAuthority: true });
  const middle = makeHolder(`${name} iPhone Certification Authority`, { issuer: root, isAuthority: true });
  // Apple's own authority for devices ended years ago.
  const authority = makeHolder(`${name} iPhone Device CA`, {
    issuer: middle,
    isAuthority: true,
    until: '140416225446Z',
    digest: 'sha1',
  });
  const device = makeHolder('a device', { issuer: authority, digest: 'sha1' });
  return { root, middle, authority, device, chain: [device, authority, middle, root].map((one) => one.certificate) };
}

export interface MessageOptions {
  encoding?: 'der' | 'ber';
  /** How long the pieces are that BER carries content in. */
  pieceBytes?: number;
  digest?: Digest;
  /** The message carries other content than was signed. */
  carries?: Buffer;
  isDetached?: boolean;
  hasAttributes?: boolean;
  /** How many times the signer stands in it. */
  signers?: number;
  /** Changes the signature. */
  tamper?: (signature: Buffer) => Buffer;
}

/** Signs content as CMS signed data, as a device does. */
export function signContent(content: Buffer, signer: Holder, chain: Buffer[], options: MessageOptions = {}): Buffer {
  const {
    encoding = 'der',
    pieceBytes = 100,
    digest = 'sha256',
    carries = content,
    isDetached = false,
    hasAttributes = true,
  } = options;
  const isBer = encoding === 'ber';
  const wrap = isBer ? indefinite : tlv;
  const attributes = Buffer.concat([
    sequence(oid('1.2.840.113549.1.9.3'), set(oid('1.2.840.113549.1.7.1'))),
    sequence(oid('1.2.840.113549.1.9.4'), set(octets(createHash(digest).update(content).digest()))),
  ]);
  const made = sign(digest, hasAttributes ? set(attributes) : content, signer.key);
  const signature = options.tamper?.(Buffer.from(made)) ?? made;
  const digestAlgorithm = sequence(oid(DIGEST[digest]), nothing);
  const signerInfo = sequence(
    integer(1),
    sequence(signer.issuer, signer.serial),
    digestAlgorithm,
    ...(hasAttributes ? [tlv(0xa0, attributes)] : []),
    sequence(oid(RSA), nothing),
    octets(signature),
  );
  const carried = isDetached ? [] : [wrap(0xa0, isBer ? octetPieces(carries, pieceBytes) : octets(carries))];
  const data = wrap(
    0x30,
    integer(1),
    set(digestAlgorithm),
    wrap(0x30, oid('1.2.840.113549.1.7.1'), ...carried),
    tlv(0xa0, ...chain),
    set(...Array.from({ length: options.signers ?? 1 }, () => signerInfo)),
  );
  return wrap(0x30, oid('1.2.840.113549.1.7.2'), wrap(0xa0, data));
}

export const UDID = '00008030-000A1B2C3D4E5F60';
export const OLD_UDID = '0123456789abcdef0123456789abcdef01234567';

export type Attributes = Record<string, string>;

export const attributesOf = (challenge: string, changes: Attributes = {}): Attributes => ({
  CHALLENGE: challenge,
  PRODUCT: 'iPhone14,2',
  UDID,
  VERSION: '22F76',
  ...changes,
});

/** A property list in either encoding. */
export function writePlist(attributes: Attributes, form: 'xml' | 'binary' = 'xml'): Buffer {
  return form === 'xml' ? buildXmlPlist(attributes) : buildBinaryPlist(attributes);
}

/** What a phone answers to a challenge. */
export function answerOf(
  laboratory: Laboratory,
  attributes: Attributes,
  { form, ...options }: MessageOptions & { form?: 'xml' | 'binary' } = {},
): Buffer {
  return signContent(writePlist(attributes, form), laboratory.device, laboratory.chain, options);
}

/** What a profile asks, as a phone reads it. */
export async function readProfile(bytes: Buffer) {
  const { content } = await readSignedMessage(bytes);
  if (content === null) throw new Error('The profile has no content');
  const profile = readPlist(content);
  const service = profile.get('PayloadContent');
  if (!(service instanceof Map)) throw new Error('The profile asks nothing');
  return {
    profile,
    content,
    url: String(service.get('URL')),
    challenge: String(service.get('Challenge')),
    attributes: service.get('DeviceAttributes'),
  };
}

const ANSWER_TYPE = 'application/pkcs7-signature';

/** Sends an answer to an address of the server. */
export function sendAnswer(address: string, answer: Buffer, type = ANSWER_TYPE): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: { 'content-type': type },
    body: new Uint8Array(answer),
    redirect: 'manual',
  });
}

/** Walks a phone through an enrollment link, as it does by itself. */
export async function enrollPhone(laboratory: Laboratory, url: string): Promise<void> {
  const profile = await fetch(`${url}/profile`);
  const { challenge } = await readProfile(Buffer.from(await profile.arrayBuffer()));
  const answer = await sendAnswer(`${url}/callback`, answerOf(laboratory, attributesOf(challenge, {})));
  if (answer.status !== 301) throw new Error(`The phone was answered ${answer.status}: ${await answer.text()}`);
}
