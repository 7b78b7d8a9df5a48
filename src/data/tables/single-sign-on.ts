// Single sign-on: connections, keys, domains, identities and sessions.

import { sql } from 'drizzle-orm';
import { index, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { flag, moment, uuid } from './columns.ts';
import { organizations } from './organizations.ts';

/**
 * The identity provider of an organization. With OpenID Connect, the entity id is the issuer, the URLs are the
 * authorization and the logout endpoint as they were discovered, and there are no certificates.
 */
export const ssoConnections = sqliteTable('sso_connections', {
  organizationId: uuid('organization_id')
    .primaryKey()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  kind: text('kind', { enum: ['saml', 'oidc'] })
    .notNull()
    .default('saml'),
  entityId: text('entity_id').notNull(),
  ssoUrl: text('sso_url').notNull(),
  sloUrl: text('slo_url'),
  certificates: text('certificates').notNull(),
  // Only with OpenID Connect:
  clientId: text('client_id'),
  clientSecretEncrypted: text('client_secret_encrypted'),
  /** How the client authenticates at the token endpoint; null to choose what the provider supports. */
  clientAuthentication: text('client_authentication', { enum: ['client_secret_basic', 'client_secret_post'] }),
  /** Separated by spaces. */
  scopes: text('scopes'),
  emailClaim: text('email_claim'),
  nameClaim: text('name_claim'),
  acceptsUnverifiedEmail: flag('accepts_unverified_email').notNull().default(false),
  isEnabled: flag('is_enabled').notNull(),
  isRequired: flag('is_required').notNull(),
  /** When the provider was configured or replaced; null in older rows. */
  trustChangedAt: moment('trust_changed_at'),
  /**
   * Part of the stored entity id of identities and sessions, so that those of a removed connection or of another protocol
   * don't count: a job deletes them in steps. Null in older rows, which have the plain entity id.
   */
  identityKey: uuid('identity_key'),
  sessionKey: uuid('session_key'),
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
});

/** The key that signs an organization's messages to its identity provider. The private key is encrypted. */
export const ssoKeys = sqliteTable('sso_keys', {
  organizationId: uuid('organization_id')
    .primaryKey()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  certificate: text('certificate').notNull(),
  privateKeyEncrypted: text('private_key_encrypted').notNull(),
  createdAt: moment('created_at').notNull(),
});

export const ssoDomains = sqliteTable(
  'sso_domains',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    domain: text('domain').notNull(),
    verificationToken: text('verification_token').notNull(),
    verifiedAt: moment('verified_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('sso_domains_claim').on(table.organizationId, table.domain),
    // A verified domain belongs to one organization at a time.
    uniqueIndex('sso_domains_verified').on(table.domain).where(sql`verified_at IS NOT NULL`),
  ],
);

/**
 * A person's identity at an identity provider: organization, entity id and NameID
 * (docs/specification/single-sign-on.md#identities).
 */
export const ssoIdentities = sqliteTable(
  'sso_identities',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** With the connection's `identityKey`. */
    entityId: text('entity_id').notNull(),
    nameId: text('name_id').notNull(),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.entityId, table.nameId] }),
    index('sso_identities_developer').on(table.developerId),
  ],
);

/** Data for single logout: the assertion or ID token behind each session. */
export const ssoSessions = sqliteTable(
  'sso_sessions',
  {
    sessionId: uuid('session_id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** With the connection's `sessionKey`. */
    entityId: text('entity_id').notNull(),
    nameId: text('name_id').notNull(),
    nameIdFormat: text('name_id_format'),
    sessionIndex: text('session_index'),
    createdAt: moment('created_at').notNull(),
    /** When the provider authenticated the person, according to the assertion; null in older rows. */
    authenticatedAt: moment('authenticated_at'),
    /** The ID token, which OpenID Connect providers want back for logout. Encrypted. */
    idTokenEncrypted: text('id_token_encrypted'),
  },
  (table) => [index('sso_sessions_name_id').on(table.organizationId, table.entityId, table.nameId)],
);

/** Ids of used assertions, kept until the assertions expire. */
export const ssoReplays = sqliteTable(
  'sso_replays',
  {
    id: text('id').primaryKey(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('sso_replays_expires_at').on(table.expiresAt)],
);
