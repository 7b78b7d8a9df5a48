// Identity beyond passwords: email links, two-factor authentication, invitations, exports, guess counters.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { flag, moment, uuid } from './columns.ts';
import { organizations, projects } from './organizations.ts';

/** Single-use email links: verification, password reset, email change, canceled deletion. Only hashes are stored. */
export const accountLinks = sqliteTable(
  'account_links',
  {
    tokenHash: text('token_hash').primaryKey(),
    kind: text('kind', {
      enum: ['verify_email', 'password_reset', 'change_email', 'cancel_deletion', 'review_additions'],
    }).notNull(),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    /** The recipient; the new address for an email change. */
    email: text('email').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    consumedAt: moment('consumed_at'),
  },
  (table) => [
    index('account_links_developer').on(table.developerId, table.kind),
    index('account_links_expires_at').on(table.expiresAt),
  ],
);

/**
 * Codes in emails, for signing in and as a step-up. A row is written for every address that someone asks for, with or without
 * an account. Only hashes are stored.
 */
export const emailCodes = sqliteTable(
  'email_codes',
  {
    id: uuid('id').primaryKey(),
    purpose: text('purpose', { enum: ['sign_in', 'step_up'] }).notNull(),
    email: text('email').notNull(),
    /** The only one who can use it: the hash of the browser's cookie, or of the session. */
    holderHash: text('holder_hash').notNull(),
    /** The network of the request, for the number of emails. */
    networkHash: text('network_hash'),
    /** Keyed, because six digits are quickly guessed. Null until the email is written. */
    codeHash: text('code_hash'),
    tokenHash: text('token_hash'),
    failures: integer('failures').notNull().default(0),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    consumedAt: moment('consumed_at'),
  },
  (table) => [
    uniqueIndex('email_codes_token').on(table.tokenHash),
    index('email_codes_holder').on(table.holderHash, table.id),
    index('email_codes_email').on(table.email, table.createdAt),
    index('email_codes_expires_at').on(table.expiresAt),
  ],
);

/**
 * When a kind of email was last sent to an address, existing or not: the cooldowns of
 * docs/specification/identity.md#email-cooldowns.
 */
export const mailCooldowns = sqliteTable(
  'mail_cooldowns',
  {
    kind: text('kind').notNull(),
    recipient: text('recipient').notNull(),
    sentAt: moment('sent_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.recipient] }),
    index('mail_cooldowns_sent_at').on(table.sentAt),
    // Used when an account is deleted.
    index('mail_cooldowns_recipient').on(table.recipient),
  ],
);

/** The authenticator app of an account, with an encrypted secret. `lastStep` is the newest used time step, so a code works once. */
export const totpFactors = sqliteTable(
  'totp_factors',
  {
    developerId: uuid('developer_id')
      .primaryKey()
      .references(() => developers.id, { onDelete: 'cascade' }),
    secretEncrypted: text('secret_encrypted').notNull(),
    confirmedAt: moment('confirmed_at'),
    lastStep: integer('last_step').notNull().default(0),
    createdAt: moment('created_at').notNull(),
    /** The session that stepped up to start the enrollment. Only this session can confirm it. */
    begunBySession: uuid('begun_by_session'),
  },
  (table) => [index('totp_factors_unconfirmed').on(table.createdAt).where(sql`confirmed_at is null`)],
);

export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    id: uuid('id').primaryKey(),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    codeHash: text('code_hash').notNull(),
    consumedAt: moment('consumed_at'),
  },
  (table) => [uniqueIndex('recovery_codes_code').on(table.developerId, table.codeHash)],
);

export const passkeys = sqliteTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    credentialId: text('credential_id').notNull(),
    publicKey: text('public_key').notNull(),
    counter: integer('counter').notNull(),
    transports: text('transports').notNull(),
    isBackedUp: flag('is_backed_up').notNull(),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at'),
    /** Listed at a password reset and not reviewed since. It can't sign in alone, only after the new password. */
    suspendedAt: moment('suspended_at'),
  },
  (table) => [
    uniqueIndex('passkeys_credential').on(table.credentialId),
    index('passkeys_developer').on(table.developerId, table.id),
  ],
);

/** Opaque WebAuthn user handles, so that credentials don't contain account ids. */
export const passkeyHandles = sqliteTable(
  'passkey_handles',
  {
    developerId: uuid('developer_id')
      .primaryKey()
      .references(() => developers.id, { onDelete: 'cascade' }),
    handle: text('handle').notNull(),
  },
  (table) => [uniqueIndex('passkey_handles_handle').on(table.handle)],
);

/** Pending sign-ins and WebAuthn ceremonies. Each is used once. */
export const challenges = sqliteTable(
  'challenges',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', {
      enum: [
        'mfa_login',
        'passkey_login',
        'passkey_mfa',
        'passkey_register',
        'passkey_sign_up',
        'passkey_step_up',
        'sso_login',
        'captcha',
      ],
    }).notNull(),
    developerId: uuid('developer_id').references(() => developers.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash'),
    data: text('data').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    consumedAt: moment('consumed_at'),
  },
  (table) => [
    uniqueIndex('challenges_token').on(table.tokenHash),
    index('challenges_expires_at').on(table.expiresAt),
    index('challenges_developer').on(table.developerId).where(sql`developer_id is not null`),
  ],
);

/** Failed guesses per account and kind, for the backoff. A correct password doesn't reset them. */
export const guessCounters = sqliteTable(
  'guess_counters',
  {
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: ['second_factor'] }).notNull(),
    failures: integer('failures').notNull(),
    lastFailureAt: moment('last_failure_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.developerId, table.kind] })],
);

/** Wrong passwords per address, existing or not, as a hash. Networks known to the account are counted separately. */
export const passwordGuesses = sqliteTable(
  'password_guesses',
  {
    subject: text('subject').primaryKey(),
    failures: integer('failures').notNull(),
    lastFailureAt: moment('last_failure_at').notNull(),
  },
  (table) => [index('password_guesses_last_failure_at').on(table.lastFailureAt)],
);

/** Networks from which an account has signed in, as hashes. Guesses from other networks don't delay sign-ins from them. */
export const knownNetworks = sqliteTable(
  'known_networks',
  {
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    networkHash: text('network_hash').notNull(),
    seenAt: moment('seen_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.developerId, table.networkHash] }),
    index('known_networks_seen_at').on(table.seenAt),
  ],
);

export const memberInvitations = sqliteTable(
  'member_invitations',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Null for an invitation to the organization. */
    projectId: uuid('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    role: text('role').notNull(),
    /** Roles in projects that an invitation to the organization also grants: a JSON array. */
    projects: text('projects').notNull().default('[]'),
    /** Of the link that the inviter gets. It doesn't show that its holder reads the address. */
    tokenHash: text('token_hash').notNull(),
    /** Of the link that was only emailed to the address, so that its holder reads it. Null for invitations of older versions. */
    mailedTokenHash: text('mailed_token_hash'),
    /** The newest email, which may be deleted by now. */
    mailId: uuid('mail_id'),
    invitedBy: uuid('invited_by').references(() => developers.id, { onDelete: 'set null' }),
    /** The person whose permission backs the invitation: the sender, or the owner of the token that sent it. */
    backedBy: uuid('backed_by').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    sentAt: moment('sent_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    acceptedAt: moment('accepted_at'),
    declinedAt: moment('declined_at'),
    /** When the sender's role fell below the granted one. */
    lapsedAt: moment('lapsed_at'),
    /** The account that accepted or declined. */
    acceptedBy: uuid('accepted_by').references(() => developers.id, { onDelete: 'set null' }),
  },
  (table) => [
    uniqueIndex('member_invitations_token').on(table.tokenHash),
    uniqueIndex('member_invitations_mailed_token').on(table.mailedTokenHash),
    index('member_invitations_organization').on(table.organizationId, table.id),
    index('member_invitations_project').on(table.projectId, table.id),
    index('member_invitations_email').on(table.email, table.id),
    index('member_invitations_backed_by').on(table.backedBy, table.organizationId, table.id),
    index('member_invitations_expires_at').on(table.expiresAt),
    index('member_invitations_invited_by').on(table.invitedBy).where(sql`invited_by is not null`),
    index('member_invitations_accepted_by').on(table.acceptedBy).where(sql`accepted_by is not null`),
  ],
);

export const dataExports = sqliteTable(
  'data_exports',
  {
    id: uuid('id').primaryKey(),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    state: text('state', { enum: ['preparing', 'ready', 'failed', 'expired'] }).notNull(),
    objectKey: text('object_key'),
    sizeBytes: integer('size_bytes'),
    downloads: integer('downloads').notNull().default(0),
    createdAt: moment('created_at').notNull(),
    readyAt: moment('ready_at'),
    expiresAt: moment('expires_at'),
  },
  (table) => [
    index('data_exports_developer').on(table.developerId, table.id),
    // For the cleanup job: exports aren't deleted, so most have expired.
    index('data_exports_preparing').on(table.createdAt).where(sql`state = 'preparing'`),
    index('data_exports_ready').on(table.expiresAt).where(sql`state = 'ready'`),
  ],
);
