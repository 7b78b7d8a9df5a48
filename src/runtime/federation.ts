// The identity of this server for other clouds: short-lived assertions (JWT, RS256) signed with its own key, whose public half is
// published with an OpenID Connect discovery document. A tenant that trusts the issuer and the subject needs no shared secret.
import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import { exportJWK, importSPKI, type JWK, SignJWT } from 'jose';
import type { Db } from '../data/database.ts';
import { federationKeys } from '../data/tables/tables.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from './ids.ts';
import type { Secrets } from './secrets.ts';

const KEY_PURPOSE = 'federation key';
const ASSERTION_LIFETIME_S = 300;
/** For clocks that differ. */
const LEEWAY_S = 60;
const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};

export interface Federation {
  /** Returns an assertion for one audience. The first call creates the key. */
  assert(claims: { issuer: string; subject: string; audience: string }): Promise<string>;
  /** Returns the public keys that assertions can be signed with. The first call creates the key. */
  publicKeys(): Promise<readonly JWK[]>;
}

interface Parts {
  db: Db;
  clock: Clock;
  ids: Ids;
  secrets: Secrets;
}

interface OwnKey {
  id: string;
  publicKey: string;
  privateKey: KeyObject;
}

export function createFederation({ db, clock, ids, secrets }: Parts): Federation {
  let loading: Promise<OwnKey> | undefined;

  async function provideKey(): Promise<OwnKey> {
    const row = db.select().from(federationKeys).get() ?? (await makeKey());
    const pem = secrets.decrypt(row.privateKeyEncrypted, KEY_PURPOSE);
    return { id: row.id, publicKey: row.publicKey, privateKey: createPrivateKey(pem) };
  }

  async function makeKey(): Promise<typeof federationKeys.$inferSelect> {
    const pair = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const toPem = async (format: 'pkcs8' | 'spki', label: string, key: webcrypto.CryptoKey) => {
      const der = Buffer.from(await webcrypto.subtle.exportKey(format, key));
      return `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
    };
    const publicKey = await toPem('spki', 'PUBLIC KEY', pair.publicKey);
    const privateKeyEncrypted = secrets.encrypt(await toPem('pkcs8', 'PRIVATE KEY', pair.privateKey), KEY_PURPOSE);
    // If two processes create one concurrently, the first wins and both use its key.
    return db.transaction(
      (tx) => {
        const existing = tx.select().from(federationKeys).get();
        if (existing !== undefined) return existing;
        const row = { id: ids.next(), publicKey, privateKeyEncrypted, createdAt: clock.now().getTime() };
        tx.insert(federationKeys).values(row).run();
        return row;
      },
      { behavior: 'immediate' },
    );
  }

  function load(): Promise<OwnKey> {
    loading ??= provideKey().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  return {
    async assert({ issuer, subject, audience }) {
      const { id, privateKey } = await load();
      const now = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: id })
        .setIssuer(issuer)
        .setSubject(subject)
        .setAudience(audience)
        .setJti(ids.next())
        .setIssuedAt(now)
        .setNotBefore(now - LEEWAY_S)
        .setExpirationTime(now + ASSERTION_LIFETIME_S)
        .sign(privateKey);
    },
    async publicKeys() {
      const { id, publicKey } = await load();
      const { kty, n, e } = await exportJWK(await importSPKI(publicKey, 'RS256', { extractable: true }));
      return [{ kty, n, e, kid: id, use: 'sig', alg: 'RS256' } as JWK];
    },
  };
}
