// Developers and their credentials: sessions, refresh tokens, signing keys and the first-run setup link.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { signInMethods } from '../../lib/sign-in-methods.ts';
import { flag, moment, uuid } from './columns.ts';

export const developers = sqliteTable(
  'developers',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull(),
    emailVerifiedAt: moment('email_verified_at'),
    /**
     * An inviter passed on the link that created the account, on a server that sends no email. The account can write, but
     * gets no access by its address, which is still unverified.
     */
    vouchedAt: moment('vouched_at'),
    displayName: text('display_name').notNull(),
    locale: text('locale'),
    passwordHash: text('password_hash'),
    isOperator: flag('is_operator').notNull().default(false),
    totpEnabledAt: moment('totp_enabled_at'),
    passkeyCount: integer('passkey_count').notNull().default(0),
    /** Time of the last sign-in with an established method, or of the review after a reset. Later additions are listed at the next reset. */
    knownGoodAt: moment('known_good_at'),
    /** More than one person may have signed up with the address, so verifying it doesn't activate a password. */
    isContested: flag('is_contested').notNull().default(false),
    /** Set when deletion is requested: the account is locked immediately and deleted when due. */
    deletionDueAt: moment('deletion_due_at'),
    lockedAt: moment('locked_at'),
    /** When the person accepted or declined the offer to add a passkey after their first install. */
    passkeyOfferClosedAt: moment('passkey_offer_closed_at'),
    avatarKey: text('avatar_key'),
    avatarType: text('avatar_type'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('developers_email').on(table.email),
    index('developers_operator').on(table.isOperator).where(sql`is_operator = 1`),
    // Accounts that are scheduled for deletion.
    index('developers_deletion_due').on(table.deletionDueAt).where(sql`deletion_due_at is not null`),
  ],
);

export const sessions = sqliteTable(
  'sessions',
  {
    id: uuid('id').primaryKey(),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    userAgent: text('user_agent'),
    ipAddress: text('ip_address'),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
    /** What the person proved first: null in older rows. */
    signInMethod: text('sign_in_method', { enum: signInMethods }),
  },
  (table) => [
    index('sessions_developer').on(table.developerId, table.id),
    index('sessions_expires_at').on(table.expiresAt),
    index('sessions_revoked_at').on(table.revokedAt).where(sql`revoked_at is not null`),
  ],
);

export const refreshTokens = sqliteTable(
  'refresh_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    consumedAt: moment('consumed_at'),
  },
  (table) => [
    index('refresh_tokens_session').on(table.sessionId),
    index('refresh_tokens_expires_at').on(table.expiresAt),
  ],
);

/** Ed25519 keys that sign access tokens; the private half is encrypted with the master key. */
export const signingKeys = sqliteTable('signing_keys', {
  id: text('id').primaryKey(),
  publicKey: text('public_key').notNull(),
  privateKeyEncrypted: text('private_key_encrypted').notNull(),
  createdAt: moment('created_at').notNull(),
  retiredAt: moment('retired_at'),
});

export const setupLinks = sqliteTable('setup_links', {
  tokenHash: text('token_hash').primaryKey(),
  createdAt: moment('created_at').notNull(),
  expiresAt: moment('expires_at').notNull(),
  consumedAt: moment('consumed_at'),
});
