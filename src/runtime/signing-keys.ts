// Keys that sign access tokens: Ed25519, rotated every 90 days, each deleted when its last token has expired.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { desc, eq, isNull, lte } from 'drizzle-orm';
import type { Db } from '../data/database.ts';
import { hasTable } from '../data/has-table.ts';
import { signingKeys } from '../data/tables/tables.ts';
import { type Clock, DAY } from '../lib/clock.ts';
import type { Ids } from './ids.ts';
import { type Secrets, WrongSecretKeyError } from './secrets.ts';

/** How long a key is used for signing. */
const SIGNING_KEY_PERIOD_MS = 90 * DAY;
const KEY_PURPOSE = 'access token signing key';

export interface SigningKey {
  id: string;
  privateKey: KeyObject;
  createdAt: number;
}

export interface SigningKeyParts {
  db: Db;
  clock: Clock;
  ids: Ids;
  secrets: Secrets;
}

/** Whether a key has reached its rotation age. A future creation time means that the clock was set back. */
export function isRotationDue({ createdAt }: Pick<SigningKey, 'createdAt'>, now: number): boolean {
  return now - createdAt >= SIGNING_KEY_PERIOD_MS;
}

/** Returns the current signing key. Creates one, and retires the previous one, if there is none or its rotation is due. */
export function currentSigningKey({ db, clock, ids, secrets }: SigningKeyParts): SigningKey {
  return db.transaction(
    (tx) => {
      const now = clock.time();
      const row = tx
        .select()
        .from(signingKeys)
        .where(isNull(signingKeys.retiredAt))
        .orderBy(desc(signingKeys.id))
        .get();
      const kept = row && createPrivateKey(openSealedKey(secrets, row.privateKeyEncrypted));
      if (row !== undefined && kept !== undefined && !isRotationDue(row, now)) {
        return { id: row.id, privateKey: kept, createdAt: row.createdAt };
      }
      tx.update(signingKeys).set({ retiredAt: now }).where(isNull(signingKeys.retiredAt)).run();
      return createSigningKey({ db: tx, clock, ids, secrets });
    },
    { behavior: 'immediate' },
  );
}

/** Replaces all keys with a new one, in the caller's transaction. The access tokens that they signed end. */
export function replaceSigningKeys(parts: SigningKeyParts): void {
  parts.db.delete(signingKeys).run();
  createSigningKey(parts);
}

function createSigningKey({
  db,
  clock,
  ids,
  secrets,
}: Omit<SigningKeyParts, 'db'> & { db: Pick<Db, 'insert'> }): SigningKey {
  const createdAt = clock.time();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const privateKeyEncrypted = secrets.encrypt(
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    KEY_PURPOSE,
  );
  const id = ids.next();
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  db.insert(signingKeys).values({ id, publicKey: publicPem, privateKeyEncrypted, createdAt }).run();
  return { id, privateKey, createdAt };
}

/**
 * Throws WrongSecretKeyError if `file`, which has the secret key, is missing although the database has what it encrypted. A new key
 * could read none of it, and would pass for the lost one.
 */
export function checkKeyNotLost(db: Db, file: string): void {
  if (existsSync(file) || db.select().from(signingKeys).where(isNull(signingKeys.retiredAt)).get() === undefined)
    return;
  throw new WrongSecretKeyError(
    `${file} is missing, and the database can't be used without it. Restore it from a backup, or set server.secret_key if ` +
      'the configuration had the key.',
  );
}

/** Returns a public key, and when it stopped signing. */
export function findPublicKey(db: Db, id: string): { key: KeyObject; retiredAt: number | null } | undefined {
  const row = db.select().from(signingKeys).where(eq(signingKeys.id, id)).get();
  return row && { key: createPublicKey(row.publicKey), retiredAt: row.retiredAt };
}

/** Deletes keys retired before a time. Returns the number deleted. */
export function deleteRetiredKeys(db: Db, before: number): number {
  return db.delete(signingKeys).where(lte(signingKeys.retiredAt, before)).run().changes;
}

/** Whether a key decrypts what is in a database. True if that has nothing. */
export function canOpenSealedKeys(client: Sqlite.Database, secrets: Secrets): boolean {
  const newest = 'SELECT private_key_encrypted FROM signing_keys ORDER BY id DESC LIMIT 1';
  const sealed = hasTable(client, 'signing_keys') ? client.prepare<[], string>(newest).pluck().get() : undefined;
  try {
    if (sealed !== undefined) openSealedKey(secrets, sealed);
    return true;
  } catch {
    return false;
  }
}

/** Decrypts a private key in PEM. Throws WrongSecretKeyError. */
export function openSealedKey(secrets: Secrets, sealed: string): string {
  try {
    return secrets.decrypt(sealed, KEY_PURPOSE);
  } catch {
    throw new WrongSecretKeyError(
      'The data was created with a different secret key. Set server.secret_key to its previous value, or remove it from ' +
        'the configuration if the data folder has its own secret.key.',
    );
  }
}
