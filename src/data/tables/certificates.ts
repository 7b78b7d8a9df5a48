// Certificates that the server makes or gets for itself: its own authority, what it issues, and its accounts at other authorities.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment, uuid } from './columns.ts';

/** Private authorities. Each is bound to the names it was made for, so that other names need another one. */
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

/** Certificates in use, each with its key; those before are kept until they end. */
export const certificates = sqliteTable(
  'certificates',
  {
    id: uuid('id').primaryKey(),
    /** `internal`: for TLS, by the own authority; `acme`: for TLS, by another one; `profile`: signs configuration profiles. */
    purpose: text('purpose', { enum: ['internal', 'acme', 'profile'] }).notNull(),
    /** The own authority, or the directory of another one. */
    issuer: text('issuer').notNull(),
    /** JSON list of the names it is for, in order. */
    names: text('names').notNull(),
    /** PEM: the certificate, then the intermediate ones. */
    chain: text('chain').notNull(),
    privateKeyEncrypted: text('private_key_encrypted').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('certificates_purpose').on(table.purpose, table.id)],
);

/** The account at each authority that speaks ACME, and when it may be asked again after it refused. */
export const acmeAccounts = sqliteTable('acme_accounts', {
  /** Address of the authority's directory. */
  directory: text('directory').primaryKey(),
  privateKeyEncrypted: text('private_key_encrypted').notNull(),
  /** The address that names the account; null until the authority has answered. */
  accountUrl: text('account_url'),
  createdAt: moment('created_at').notNull(),
  /** Attempts in a row that failed. */
  failures: integer('failures').notNull().default(0),
  lastError: text('last_error'),
  attemptedAt: moment('attempted_at'),
  nextAttemptAt: moment('next_attempt_at').notNull(),
});
