// The keys that sign access tokens: Ed25519, a new one every 90 days, each gone once nothing that it signed is valid.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { desc, eq, isNull, lte } from 'drizzle-orm';
import type { Db } from '../data/database.ts';
import { signingKeys } from '../data/tables/tables.ts';
import { type Clock, DAY } from '../lib/clock.ts';
import type { Ids } from './ids.ts';
import { type Secrets, WrongSecretKeyError } from './secrets.ts';

/** How long a key signs. */
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

/** Whether a key has signed for its time. One from the future is left by a clock that was set back. */
export function isWornOut({ createdAt }: Pick<SigningKey, 'createdAt'>, now: number): boolean {
  return now - createdAt >= SIGNING_KEY_PERIOD_MS;
}

/** The key that signs now; makes one, and retires the one before, when there is none or its time is over. */
export function currentSigningKey({ db, clock, ids, secrets }: SigningKeyParts): SigningKey {
  return db.transaction(
    (tx) => {
      const now = clock.now().getTime();
      const row = tx
        .select()
        .from(signingKeys)
        .where(isNull(signingKeys.retiredAt))
        .orderBy(desc(signingKeys.id))
        .get();
      const kept = row && createPrivateKey(openSealedKey(secrets, row.privateKeyEncrypted));
      if (row !== undefined && kept !== undefined && !isWornOut(row, now)) {
        return { id: row.id, privateKey: kept, createdAt: row.createdAt };
      }
      tx.update(signingKeys).set({ retiredAt: now }).where(isNull(signingKeys.retiredAt)).run();
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const sealed = secrets.encrypt(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), KEY_PURPOSE);
      const id = ids.next();
      tx.insert(signingKeys)
        .values({
          id,
          publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
          privateKeyEncrypted: sealed,
          createdAt: now,
        })
        .run();
      return { id, privateKey, createdAt: now };
    },
    { behavior: 'immediate' },
  );
}

/** The public half of a key, and since when it signs nothing any more. */
export function findPublicKey(db: Db, id: string): { key: KeyObject; retiredAt: number | null } | undefined {
  const row = db.select().from(signingKeys).where(eq(signingKeys.id, id)).get();
  return row && { key: createPublicKey(row.publicKey), retiredAt: row.retiredAt };
}

/** Deletes keys that were retired before a moment; answers how many. */
export function deleteRetiredKeys(db: Db, before: number): number {
  return db.delete(signingKeys).where(lte(signingKeys.retiredAt, before)).run().changes;
}

/** The private half of a key in PEM. Throws WrongSecretKeyError. */
export function openSealedKey(secrets: Secrets, sealed: string): string {
  try {
    return secrets.decrypt(sealed, KEY_PURPOSE);
  } catch {
    throw new WrongSecretKeyError(
      'The secret key is not the one that this data was made with: give server.secret_key its earlier value, or take it out ' +
        'of the configuration when the data folder holds a secret.key of its own.',
    );
  }
}
