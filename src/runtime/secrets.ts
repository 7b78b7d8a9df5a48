// Secrets: random tokens, their hashes, and encryption of what must be read back, all derived from one master key.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeOnce } from '../lib/durable-file.ts';
import type { Keyring } from './signing.ts';

/** An encrypted value that can't be opened. Its message names the value, which is what its purpose says it is. */
export class SealedValueError extends Error {
  constructor(purpose: string, reason: string) {
    super(`The encrypted value "${purpose}" can't be decrypted: ${reason}`);
  }
}

/** A refusal to start: what the data was encrypted with is another key than the one given now. */
export class WrongSecretKeyError extends Error {}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
/** Node otherwise accepts tags of as little as four bytes, which can be forged (NIST SP 800-38D, appendix C). */
const TAG = { authTagLength: 16 } as const;
/** `v1.<12 bytes>.<16 bytes>.<any bytes>` in base64url. */
const SEALED = /^v1\.([\w-]{16})\.([\w-]{22})\.([\w-]*)$/;
const EMPTY = Buffer.alloc(0);

export interface Secrets {
  /** A new unguessable token: `prefix` followed by 256 random bits in base64url. */
  token(prefix?: string): string;
  /** The only form in which a token is stored: SHA-256 in hex. Tokens carry 256 bits, so no slow hash is needed. */
  hash(token: string): string;
  /** AES-256-GCM, text to `v1.<nonce>.<tag>.<ciphertext>`; `purpose` binds it to its use. */
  encrypt(plain: string, purpose: string): string;
  /** The plain text. Throws SealedValueError for a value that is damaged, of another purpose or of another key. */
  decrypt(sealed: string, purpose: string): string;
  /** Keys for signing links and cursors. */
  keyring: Keyring;
}

/** Builds the secrets from a master key of at least 32 bytes. */
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
      if (parts === undefined) throw new SealedValueError(purpose, 'it has an unknown form');
      const [nonce = EMPTY, tag = EMPTY, body = EMPTY] = parts.map((part) => Buffer.from(part, 'base64url'));
      try {
        const decipher = createDecipheriv(CIPHER, encryptionKey, nonce, TAG)
          .setAAD(Buffer.from(purpose))
          .setAuthTag(tag);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        throw new SealedValueError(purpose, 'it is damaged, or was encrypted with another key');
      }
    },
    keyring: { current: { id: keyId, key: signingKey }, previous: [] },
  };
}

/** Compares two texts without telling by its time where they differ. */
export function isSameSecret(left: string, right: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/**
 * The master key: hashed from the configured secret when there is one, else read from `file`, which is made on first
 * use and readable by its owner only.
 */
export function loadMasterKey(configured: string, file: string): Buffer {
  if (configured !== '') return createHash('sha256').update(configured).digest();
  if (!existsSync(file)) {
    // Everything encrypted depends on it, so it is on disk, whole, before anything is.
    writeOnce(file, `${randomBytes(32).toString('base64')}\n`, 0o600);
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length < 32) throw new Error(`${file} does not hold a key of 32 bytes; restore it from a backup`);
  return key;
}
