// Secrets: random tokens, their hashes, and encryption of values that must be readable again, all derived from one master key.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeOnce } from '../lib/durable-file.ts';
import { codeOf } from '../lib/error-code.ts';
import { NamedPipeError, readGivenFile } from '../lib/given-file.ts';
import type { Keyring } from './signing.ts';

/** An encrypted value can't be decrypted. The message contains the purpose, which names the value. */
export class SealedValueError extends Error {
  constructor(purpose: string, reason: string) {
    super(`The encrypted value "${purpose}" can't be decrypted: ${reason}`);
  }
}

/** The server can't start: its data was encrypted with a different key, or the key is lost. */
export class WrongSecretKeyError extends Error {}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
/** Without this, Node accepts tags of only four bytes, which can be forged (NIST SP 800-38D, appendix C). */
const TAG = { authTagLength: 16 } as const;
/** `v1.<12 bytes>.<16 bytes>.<any bytes>` in base64url. */
const SEALED = /^v1\.([\w-]{16})\.([\w-]{22})\.([\w-]*)$/;
const EMPTY = Buffer.alloc(0);

export interface Secrets {
  /** Returns a new random token: `prefix` followed by 256 random bits in base64url. */
  token(prefix?: string): string;
  /** Returns the stored form of a token: SHA-256 in hex. Tokens have 256 random bits, so a slow hash isn't necessary. */
  hash(token: string): string;
  /** Encrypts text with AES-256-GCM to `v1.<nonce>.<tag>.<ciphertext>`. Decryption requires the same `purpose`. */
  encrypt(plain: string, purpose: string): string;
  /** Returns the plain text. Throws SealedValueError if the value is damaged or has a different purpose or key. */
  decrypt(sealed: string, purpose: string): string;
  /** Keys for signing links and cursors. */
  keyring: Keyring;
}

/** Creates the secrets of a master key of at least 32 bytes. */
export function createSecrets(masterKey: Buffer): Secrets {
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', masterKey, '', `taxiway ${label}`, 32));
  const encryptionKey = derive('encryption');
  const signingKey = derive('signing');
  const keyId = createHash('sha256').update(signingKey).digest('hex').slice(0, 8);
  return {
    token: (prefix = '') => prefix + randomBytes(32).toString('base64url'),
    hash: (token) => hash('sha256', token),
    encrypt(plain, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, encryptionKey, nonce, TAG).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return ['v1', nonce, cipher.getAuthTag(), sealed]
        .map((part) => (typeof part === 'string' ? part : part.toString('base64url')))
        .join('.');
    },
    decrypt(sealed, purpose) {
      const parts = SEALED.exec(sealed)?.slice(1);
      if (parts === undefined) throw new SealedValueError(purpose, 'unknown format');
      const [nonce = EMPTY, tag = EMPTY, body = EMPTY] = parts.map((part) => Buffer.from(part, 'base64url'));
      try {
        const decipher = createDecipheriv(CIPHER, encryptionKey, nonce, TAG)
          .setAAD(Buffer.from(purpose))
          .setAuthTag(tag);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        throw new SealedValueError(purpose, 'damaged, or encrypted with another key');
      }
    },
    keyring: { current: { id: keyId, key: signingKey }, previous: [] },
  };
}

/** Compares two texts in constant time. */
export function isSameSecret(left: string, right: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/**
 * Returns the master key: the hash of the configured secret, or the content of `file`, which is created on first use and
 * readable by its owner only. Throws WrongSecretKeyError if it has no key.
 */
export function loadMasterKey(configured: string, file: string): Buffer {
  if (configured !== '') return createHash('sha256').update(configured).digest();
  checkRotationEnded(file);
  // All encrypted values depend on the key, so it must be stored durably before any of them.
  if (!existsSync(file)) writeMasterKey(file);
  return readMasterKey(file);
}

/** Returns the file of the next key, which exists while the key of `file` is rotated. */
export const nextKeyFileOf = (file: string): string => `${file}.next`;

/** Throws WrongSecretKeyError while it isn't certain which of two keys the database was encrypted with. */
export function checkRotationEnded(file: string): void {
  if (!existsSync(nextKeyFileOf(file))) return;
  throw new WrongSecretKeyError(
    `the rotation of ${file} was interrupted: run "taxiway secret-key rotate" to complete it`,
  );
}

/** Creates a file with a random key durably, unless the file exists. */
export function writeMasterKey(file: string): void {
  writeOnce(file, `${randomBytes(32).toString('base64')}\n`, 0o600);
}

/** Returns the key in a file. Throws WrongSecretKeyError if it has none. */
export function readMasterKey(file: string): Buffer {
  const key = Buffer.from(readKey(file).trim(), 'base64');
  if (key.length < 32)
    throw new WrongSecretKeyError(`${file} doesn't contain a key of 32 bytes; restore it from a backup`);
  return key;
}

/** A folder or a named pipe in its place has no key. */
function readKey(file: string): string {
  try {
    return readGivenFile(file).toString('utf8');
  } catch (error) {
    if (error instanceof NamedPipeError || codeOf(error) === 'EISDIR') return '';
    throw error;
  }
}
