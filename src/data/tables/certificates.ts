// Certificates of the server: its own authorities, the certificates they issue, and accounts at ACME authorities.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment, uuid } from './columns.ts';

/** Private authorities. Each is restricted to the names it was created for, so other names need another authority. */
export const certificateAuthorities = sqliteTable('certificate_authorities', {
  id: uuid('id').primaryKey(),
  /** JSON list of the host names and addresses it may certify, in order. */
  names: text('names').notNull(),
  /** PEM. */
  certificate: text('certificate').notNull(),
  privateKeyEncrypted: text('private_key_encrypted').notNull(),
  createdAt: moment('created_at').notNull(),
  expiresAt: moment('expires_at').notNull(),
});

/** Certificates with their keys. Previous certificates are kept until they expire. */
export const certificates = sqliteTable(
  'certificates',
  {
    id: uuid('id').primaryKey(),
    /** `internal`: for TLS, by the own authority; `acme`: for TLS, by an ACME authority; `profile`: signs configuration profiles. */
    purpose: text('purpose', { enum: ['internal', 'acme', 'profile'] }).notNull(),
    /** The id of the own authority, or the directory of the ACME authority. */
    issuer: text('issuer').notNull(),
    /** JSON list of the certified names, in order. */
    names: text('names').notNull(),
    /** PEM: the certificate, then the intermediate certificates. */
    chain: text('chain').notNull(),
    privateKeyEncrypted: text('private_key_encrypted').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('certificates_purpose').on(table.purpose, table.id)],
);

/** The account at each ACME authority, and when the next request is allowed after a failure. */
export const acmeAccounts = sqliteTable('acme_accounts', {
  /** URL of the authority's directory. */
  directory: text('directory').primaryKey(),
  privateKeyEncrypted: text('private_key_encrypted').notNull(),
  /** URL of the account; null until the authority has created it. */
  accountUrl: text('account_url'),
  createdAt: moment('created_at').notNull(),
  /** Consecutive failed attempts. */
  failures: integer('failures').notNull().default(0),
  lastError: text('last_error'),
  attemptedAt: moment('attempted_at'),
  nextAttemptAt: moment('next_attempt_at').notNull(),
});
