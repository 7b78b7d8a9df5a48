// The identity of this server for other clouds: short-lived assertions (JWT, RS256) signed with its own key, whose public half is
// published with an OpenID Connect discovery document. A tenant that trusts the issuer and the subject needs no shared secret.
// A new key is published some days before it signs, because clouds keep the published keys for up to a day, and the one before it
// is published for a while after its last signature. Both moments follow from the creation times, so a restart changes nothing.
import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import { asc, inArray } from 'drizzle-orm';
import type { JWK } from 'jose';
import type { Db } from '../data/database.ts';
import { federationKeys } from '../data/tables/tables.ts';
import { type Clock, DAY } from '../lib/clock.ts';
import type { Ids } from './ids.ts';
import type { Secrets } from './secrets.ts';

export const FEDERATION_KEY = 'federation key';
const ASSERTION_LIFETIME_S = 300;
/** For clocks that differ. */
const LEEWAY_S = 60;
/** How long a key signs. */
const PERIOD_MS = 180 * DAY;
/** From its publication until a key signs. */
const PUBLISHED_BEFORE_MS = 3 * DAY;
/** Its last assertion expires minutes after the next key began to sign. */
const PUBLISHED_AFTER_MS = 2 * DAY;
const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};

export interface Federation {
  /** Returns an assertion for one audience. The first call creates the key. */
  assert(claims: { issuer: string; subject: string; audience: string }): Promise<string>;
  /** Returns the public keys that assertions are, were or will be signed with. The first call creates the key. */
  publicKeys(): Promise<readonly JWK[]>;
  /**
   * Publishes a new key if that's due, unless there is none, and deletes keys that don't need to be published anymore. Returns
   * the number deleted.
   */
  rotate(): Promise<number>;
}

interface Parts {
  db: Db;
  clock: Clock;
  ids: Ids;
  secrets: Secrets;
}

interface OwnKey {
  id: string;
  privateKey: KeyObject;
}

type KeyRow = typeof federationKeys.$inferSelect;

/** Returns the key that signs: the newest that was published long enough, or the first one. `keys` are in order of creation. */
function signingKeyOf(keys: readonly KeyRow[], now: number): KeyRow | undefined {
  return keys.findLast(({ createdAt }) => createdAt + PUBLISHED_BEFORE_MS <= now) ?? keys[0];
}

/** Returns the keys before the one that signs, if it has signed long enough. */
function endedKeysOf(keys: readonly KeyRow[], now: number): readonly KeyRow[] {
  const signing = signingKeyOf(keys, now);
  if (signing === undefined || signing.createdAt + PUBLISHED_BEFORE_MS + PUBLISHED_AFTER_MS > now) return [];
  return keys.slice(0, keys.indexOf(signing));
}

export function createFederation({ db, clock, ids, secrets }: Parts): Federation {
  let opened: OwnKey | undefined;
  let creating: Promise<void> | undefined;

  const listKeys = (): KeyRow[] =>
    db.select().from(federationKeys).orderBy(asc(federationKeys.createdAt), asc(federationKeys.id)).all();
  const now = (): number => clock.time();

  /** Adds a key if `isDue` still holds: if two processes add one concurrently, the first wins and both use its key. */
  async function addKey(isDue: (keys: readonly KeyRow[]) => boolean): Promise<void> {
    const pair = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const toPem = async (format: 'pkcs8' | 'spki', label: string, key: webcrypto.CryptoKey) => {
      const der = Buffer.from(await webcrypto.subtle.exportKey(format, key));
      return `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
    };
    const publicKey = await toPem('spki', 'PUBLIC KEY', pair.publicKey);
    const privateKeyEncrypted = secrets.encrypt(await toPem('pkcs8', 'PRIVATE KEY', pair.privateKey), FEDERATION_KEY);
    db.transaction(
      (tx) => {
        if (!isDue(listKeys())) return;
        tx.insert(federationKeys).values({ id: ids.next(), publicKey, privateKeyEncrypted, createdAt: now() }).run();
      },
      { behavior: 'immediate' },
    );
  }

  /** Returns all keys, and creates the first one. */
  async function loadKeys(): Promise<readonly KeyRow[]> {
    const keys = listKeys();
    if (keys.length > 0) return keys;
    creating ??= addKey((found) => found.length === 0).finally(() => {
      creating = undefined;
    });
    await creating;
    return listKeys();
  }

  async function loadSigningKey(): Promise<OwnKey> {
    const row = signingKeyOf(await loadKeys(), now());
    if (row === undefined) throw new Error('the key for assertions was deleted while it was created');
    if (opened?.id !== row.id) {
      const pem = secrets.decrypt(row.privateKeyEncrypted, FEDERATION_KEY);
      opened = { id: row.id, privateKey: createPrivateKey(pem) };
    }
    return opened;
  }

  /** A newer key that doesn't sign yet isn't followed by another one. */
  const isRotationDue = (keys: readonly KeyRow[]): boolean => {
    const newest = keys.at(-1);
    return newest !== undefined && newest.createdAt + PERIOD_MS <= now();
  };

  return {
    async assert({ issuer, subject, audience }) {
      const { SignJWT } = await import('jose');
      const { id, privateKey } = await loadSigningKey();
      const issuedAt = Math.floor(now() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: id })
        .setIssuer(issuer)
        .setSubject(subject)
        .setAudience(audience)
        .setJti(ids.next())
        .setIssuedAt(issuedAt)
        .setNotBefore(issuedAt - LEEWAY_S)
        .setExpirationTime(issuedAt + ASSERTION_LIFETIME_S)
        .sign(privateKey);
    },
    async publicKeys() {
      const { exportJWK, importSPKI } = await import('jose');
      const keys = await loadKeys();
      const ended = endedKeysOf(keys, now());
      return Promise.all(
        keys
          .filter((key) => !ended.includes(key))
          .map(async ({ id, publicKey }) => {
            const { kty, n, e } = await exportJWK(await importSPKI(publicKey, 'RS256', { extractable: true }));
            return { kty, n, e, kid: id, use: 'sig', alg: 'RS256' } as JWK;
          }),
      );
    },
    async rotate() {
      if (isRotationDue(listKeys())) await addKey(isRotationDue);
      const ended = endedKeysOf(listKeys(), now()).map(({ id }) => id);
      if (ended.length > 0) db.delete(federationKeys).where(inArray(federationKeys.id, ended)).run();
      return ended.length;
    },
  };
}
