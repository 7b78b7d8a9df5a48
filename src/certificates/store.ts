// Rows of certificates and authorities. Private keys are encrypted.
import { and, desc, eq, gt, lte } from 'drizzle-orm';
import type { App } from '../core/context.ts';
import { certificateAuthorities, certificates } from '../data/tables/tables.ts';
import { type Secrets, WrongSecretKeyError } from '../runtime/secrets.ts';

export type Purpose = 'internal' | 'acme' | 'profile';

export interface Authority {
  id: string;
  names: readonly string[];
  /** PEM. */
  certificate: string;
  privateKey: string;
  createdAt: number;
  expiresAt: number;
}

/** A certificate with intermediate certificates and key, all in PEM. */
export interface KeptCertificate {
  id: string;
  purpose: Purpose;
  issuer: string;
  names: readonly string[];
  chain: string;
  privateKey: string;
  createdAt: number;
  expiresAt: number;
}

export const AUTHORITY_KEY = 'certificate authority key';
export const CERTIFICATE_KEY = 'certificate key';

/** Returns the newest authority for exactly these names that was created until a given time. */
export function findAuthority(
  { db, secrets }: App,
  names: readonly string[],
  madeUntil: number,
): Authority | undefined {
  const isWanted = and(
    eq(certificateAuthorities.names, JSON.stringify(names)),
    lte(certificateAuthorities.createdAt, madeUntil),
  );
  const row = db
    .select()
    .from(certificateAuthorities)
    .where(isWanted)
    .orderBy(desc(certificateAuthorities.id))
    .limit(1)
    .get();
  if (row === undefined) return undefined;
  const { privateKeyEncrypted, ...kept } = row;
  return { ...kept, names, privateKey: openSealed(secrets, privateKeyEncrypted, AUTHORITY_KEY) };
}

export function insertAuthority({ db, secrets }: App, authority: Authority): void {
  const { privateKey, names, ...rest } = authority;
  const privateKeyEncrypted = secrets.encrypt(privateKey, AUTHORITY_KEY);
  db.insert(certificateAuthorities)
    .values({ ...rest, names: JSON.stringify(names), privateKeyEncrypted })
    .run();
}

/** Returns the newest certificate of a purpose and issuer for exactly these names that was created until a given time. */
export function findCertificate(
  { db, secrets }: App,
  purpose: Purpose,
  issuer: string,
  names: readonly string[],
  madeUntil = Number.MAX_SAFE_INTEGER,
): KeptCertificate | undefined {
  const isWanted = and(
    lte(certificates.createdAt, madeUntil),
    eq(certificates.purpose, purpose),
    eq(certificates.issuer, issuer),
    eq(certificates.names, JSON.stringify(names)),
  );
  const row = db.select().from(certificates).where(isWanted).orderBy(desc(certificates.id)).limit(1).get();
  return row && openCertificate(secrets, row);
}

/** Returns the newest certificate of a purpose that includes a name and hasn't expired, of any issuer. */
export function findCertificateFor(
  { db, secrets, clock }: App,
  purpose: Purpose,
  name: string,
): KeptCertificate | undefined {
  const isWanted = and(eq(certificates.purpose, purpose), gt(certificates.expiresAt, clock.time()));
  const rows = db.select().from(certificates).where(isWanted).orderBy(desc(certificates.id)).all();
  const row = rows.find(({ names }) => namesOf(names).includes(name));
  return row && openCertificate(secrets, row);
}

const namesOf = (stored: string): readonly string[] => JSON.parse(stored);

function openCertificate(
  secrets: Secrets,
  { privateKeyEncrypted, names, ...kept }: typeof certificates.$inferSelect,
): KeptCertificate {
  return { ...kept, names: namesOf(names), privateKey: openSealed(secrets, privateKeyEncrypted, CERTIFICATE_KEY) };
}

export function insertCertificate({ db, secrets }: App, certificate: KeptCertificate): void {
  const { privateKey, names, ...rest } = certificate;
  const privateKeyEncrypted = secrets.encrypt(privateKey, CERTIFICATE_KEY);
  db.insert(certificates)
    .values({ ...rest, names: JSON.stringify(names), privateKeyEncrypted })
    .run();
}

/** Deletes certificates that expired before a time. Returns the number deleted. Authorities are kept, because phones may trust them. */
export function deleteEndedCertificates({ db }: App, before: number): number {
  return db.delete(certificates).where(lte(certificates.expiresAt, before)).run().changes;
}

/** Decrypts a private key. Throws WrongSecretKeyError. */
export function openSealed(secrets: Secrets, sealed: string, purpose: string): string {
  try {
    return secrets.decrypt(sealed, purpose);
  } catch {
    throw new WrongSecretKeyError('The certificates in the database were created with a different secret key.');
  }
}
