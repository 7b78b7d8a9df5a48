// The credentials of both providers: checks before anything is sent, and their encrypted form.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { App } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import * as z from '../lib/zod.ts';
import { SealedValueError } from '../runtime/secrets.ts';

/** A key of App Store Connect. */
export interface AppleCredentials {
  keyId: string;
  /** Null for an individual key. */
  issuerId: string | null;
  privateKey: KeyObject;
}

/** A key of a Google service account. Addresses in its file are ignored. */
export interface GoogleCredentials {
  clientEmail: string;
  keyId: string;
  privateKey: KeyObject;
}

const PKCS8 = /^\s*-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----\s*$/;

function readKey(pem: string): KeyObject | undefined {
  if (!PKCS8.test(pem)) return undefined;
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

const PROBE = Buffer.from('taxiway');

/** Whether a key can sign. OpenSSL also reads damaged keys, whose signatures fail or don't verify. */
function canSign(key: KeyObject): boolean {
  try {
    return verify('sha256', PROBE, createPublicKey(key), sign('sha256', PROBE, key));
  } catch {
    return false;
  }
}

function readAppleKey(pem: string): KeyObject | undefined {
  const key = readKey(pem);
  const isRight = key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return isRight && canSign(key) ? key : undefined;
}

function readGoogleKey(pem: string): KeyObject | undefined {
  const key = readKey(pem);
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0;
  const isRight = key?.asymmetricKeyType === 'rsa' && bits >= 2048 && bits <= 4096;
  return isRight && canSign(key) ? key : undefined;
}

/** Whether a text is a PEM of PKCS #8 with a P-256 key, as App Store Connect issues them. */
export function isAppleKey(pem: string): boolean {
  return readAppleKey(pem) !== undefined;
}

/** The fields of a service account that are used, in the order in which problems are reported. */
const serviceAccountShape = z.object({
  type: z.literal('service_account', 'Input should be "service_account"'),
  client_email: z
    .string('Input should be an email address')
    .max(320)
    .regex(/^[^\s@]+@[^\s@]+$/, 'Input should be an email address'),
  private_key_id: z
    .string('Input should be the id of the key')
    .regex(/^[\w-]{1,100}$/, 'Input should be the id of the key'),
  private_key: z
    .string('Input should be an RSA key in PKCS #8')
    .refine((pem) => readGoogleKey(pem) !== undefined, 'Input should be an RSA key of 2048 to 4096 bits in PKCS #8'),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns what is wrong with the JSON of a service account, and in which field, or undefined. Never quotes the input. */
export function serviceAccountProblem(text: string): { field: string | undefined; message: string } | undefined {
  const parsed = serviceAccountShape.safeParse(parseJson(text));
  if (parsed.success) return undefined;
  const [issue] = parsed.error.issues;
  const field = issue?.path[0];
  return field === undefined
    ? { field: undefined, message: 'Input should be the JSON key file of a service account' }
    : { field: String(field), message: issue?.message ?? '' };
}

/** Returns the credentials in the JSON of a service account, which must be valid. */
export function readServiceAccount(text: string): GoogleCredentials {
  const account = serviceAccountShape.parse(parseJson(text));
  return {
    clientEmail: account.client_email,
    keyId: account.private_key_id,
    privateKey: createPrivateKey(account.private_key),
  };
}

/** Returns the key in a PEM, which must be valid. */
export function appleCredentials(keyId: string, issuerId: string | null, pem: string): AppleCredentials {
  return { keyId, issuerId, privateKey: createPrivateKey(pem) };
}

/** What the secret of a connection is encrypted for. */
export const storeSecretPurpose = (id: string): string => `store connection ${id}`;

/** Encrypts the secret of a connection: the PEM of Apple, or the JSON of Google. */
export function sealSecret({ secrets }: Pick<App, 'secrets'>, id: string, secret: string): string {
  return secrets.encrypt(secret, storeSecretPurpose(id));
}

/** Returns the secret of a connection. Throws `operation_not_allowed` if it's damaged, until someone enters it again. */
export function openSecret(
  { secrets, log }: Pick<App, 'secrets' | 'log'>,
  { id, sealedSecret }: { id: string; sealedSecret: string },
): string {
  try {
    return secrets.decrypt(sealedSecret, storeSecretPurpose(id));
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error;
    log.error({ err: error, store_connection_id: id }, 'damaged store connection');
    throw new AppError('operation_not_allowed', "The stored credentials can't be decrypted. Enter them again");
  }
}
