// Feeds of channels for app stores on phones: the keys that sign them, when they changed, and people's tokens.
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { channels } from './channels.ts';
import { moment, uuid } from './columns.ts';
import { organizations, projects } from './organizations.ts';

/** The key of an organization that signs its F-Droid repositories. Phones remember its certificate, so it is never replaced. */
export const repositoryKeys = sqliteTable('repository_keys', {
  organizationId: uuid('organization_id')
    .primaryKey()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  /** PEM, signed by its own key. */
  certificate: text('certificate').notNull(),
  privateKeyEncrypted: text('private_key_encrypted').notNull(),
  createdAt: moment('created_at').notNull(),
});

/** When the content of a channel's feeds changed. Clients ignore an index that isn't newer than the one they have. */
export const feedStates = sqliteTable('feed_states', {
  channelId: uuid('channel_id')
    .primaryKey()
    .references(() => channels.id, { onDelete: 'cascade' }),
  contentHash: text('content_hash').notNull(),
  changedAt: moment('changed_at').notNull(),
});

/** Tokens in the addresses of private feeds. Only their hashes are stored; a revoked one is deleted. */
export const feedTokens = sqliteTable(
  'feed_tokens',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    /** Whose access the token has. */
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    /** What it is for, such as the name of a phone. */
    note: text('note'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('feed_tokens_token').on(table.tokenHash),
    index('feed_tokens_channel').on(table.channelId, table.developerId, table.id),
    index('feed_tokens_developer').on(table.developerId),
    index('feed_tokens_organization').on(table.organizationId),
    index('feed_tokens_project').on(table.projectId),
  ],
);
