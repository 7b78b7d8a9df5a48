// A software authenticator that creates passkeys and signs with them, also with any single mistake.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Credential {
  id: string;
  key: KeyObject;
  counter: number;
  userHandle: string;
}

/** What a dishonest browser or authenticator does otherwise. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  topOrigin?: string;
  /** Said to have verified nobody. */
  isUnverified?: boolean;
  /** Said to have nobody before it. */
  isAbsent?: boolean;
  counter?: number;
  /** Signs with another key. */
  key?: KeyObject;
  userHandle?: string | null;
  /** The id that the browser writes beside the credential. */
  id?: string;
  /** Format of the attestation, with a statement of certificates. */
  hasCertificates?: boolean;
  /** A number where the statement of an attestation without one is an empty map. */
  hasMalformedStatement?: boolean;
  /** The key of a new passkey; P-256 if missing. */
  pair?: { privateKey: KeyObject; publicKey: KeyObject };
  /** The parameters of the public key, if they aren't those of the key. */
  parameters?: CoseParameters;
  /** Length of the id of a new passkey in bytes. */
  idLength?: number;
}

/** The parameters of a public key (COSE), by their labels. */
export type CoseParameters = [label: number, value: number | Buffer][];

export interface CreationOptions {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  excludeCredentials: { id: string }[];
  [other: string]: unknown;
}

export interface RequestOptions {
  challenge: string;
  rpId: string;
  allowCredentials?: { id: string }[];
  [other: string]: unknown;
}

const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

/** A head and its bytes in CBOR (RFC 8949), as far as credentials need it. */
function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
const cborInt = (value: number) => (value >= 0 ? head(0, value) : head(1, -1 - value));
const cborBytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
const cborText = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const cborList = (items: Buffer[]) => Buffer.concat([head(4, items.length), ...items]);
const cborMap = (entries: [Buffer, Buffer][]) => Buffer.concat([head(5, entries.length), ...entries.flat()]);

/** Returns the parameters of a public key for ES256, EdDSA or RS256. */
export function coseParameters(key: KeyObject): CoseParameters {
  const { kty, x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const kinds: Record<string, CoseParameters> = {
    EC: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    OKP: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ],
    RSA: [
      [1, 3],
      [3, -257],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
  };
  return kinds[kty ?? ''] ?? [];
}

function coseKey(parameters: CoseParameters): Buffer {
  return cborMap(
    parameters.map(([label, value]) => [cborInt(label), typeof value === 'number' ? cborInt(value) : cborBytes(value)]),
  );
}

function clientData(type: string, challenge: string, origin: string, deviation: Deviation): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? challenge,
      origin: deviation.origin ?? origin,
      crossOrigin: deviation.crossOrigin ?? false,
      ...(deviation.topOrigin === undefined ? {} : { topOrigin: deviation.topOrigin }),
    }),
  );
}

function authenticatorData(rpId: string, counter: number, deviation: Deviation, attested?: Buffer): Buffer {
  const present = deviation.isAbsent === true ? 0 : 0x01;
  const verified = deviation.isUnverified === true ? 0 : 0x04;
  const count = Buffer.alloc(4);
  count.writeUInt32BE(deviation.counter ?? counter);
  const flags = Buffer.from([present | verified | (attested === undefined ? 0 : 0x40)]);
  return Buffer.concat([sha256(deviation.rpId ?? rpId), flags, count, attested ?? Buffer.alloc(0)]);
}

/** Makes a passkey, under the id of another one if given; answers it and what the browser sends. */
export function makePasskey(
  origin: string,
  options: CreationOptions,
  deviation: Deviation = {},
  twin?: Pick<Credential, 'id'>,
) {
  const { privateKey, publicKey } = deviation.pair ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rawId = twin === undefined ? randomBytes(deviation.idLength ?? 32) : Buffer.from(twin.id, 'base64url');
  const id = base64url(rawId);
  const length = Buffer.from([rawId.length >> 8, rawId.length & 255]);
  const key = coseKey(deviation.parameters ?? coseParameters(publicKey));
  const attested = Buffer.concat([Buffer.alloc(16), length, rawId, key]);
  const data = authenticatorData(options.rp.id, 0, deviation, attested);
  const statement =
    deviation.hasCertificates === true
      ? cborMap([
          [cborText('alg'), cborInt(-7)],
          [cborText('sig'), cborBytes(randomBytes(70))],
          [cborText('x5c'), cborList([cborBytes(randomBytes(200))])],
        ])
      : deviation.hasMalformedStatement === true
        ? cborInt(5)
        : cborMap([]);
  const attestationObject = cborMap([
    [cborText('fmt'), cborText(deviation.hasCertificates === true ? 'packed' : 'none')],
    [cborText('attStmt'), statement],
    [cborText('authData'), cborBytes(data)],
  ]);
  const credential: Credential = { id, key: privateKey, counter: 0, userHandle: options.user.id };
  const attestation = {
    id: deviation.id ?? id,
    rawId: deviation.id ?? id,
    type: 'public-key',
    response: {
      clientDataJSON: base64url(clientData('webauthn.create', options.challenge, origin, deviation)),
      attestationObject: base64url(attestationObject),
      transports: ['internal', 'hybrid'],
    },
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  };
  return { credential, attestation };
}

/** Signs with a passkey, counting; answers what the browser sends. */
export function usePasskey(origin: string, credential: Credential, options: RequestOptions, deviation: Deviation = {}) {
  credential.counter += 1;
  const data = authenticatorData(options.rpId, credential.counter, deviation);
  const client = clientData('webauthn.get', options.challenge, origin, deviation);
  const key = deviation.key ?? credential.key;
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const signature = sign(digest, Buffer.concat([data, sha256(client)]), key);
  const userHandle = deviation.userHandle === undefined ? credential.userHandle : deviation.userHandle;
  return {
    id: deviation.id ?? credential.id,
    rawId: deviation.id ?? credential.id,
    type: 'public-key',
    response: {
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(signature),
      ...(userHandle === null ? {} : { userHandle }),
    },
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  };
}
