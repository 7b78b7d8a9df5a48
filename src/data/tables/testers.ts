// Testers: their access, directly or through groups, and their notifications.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { developers } from './accounts.ts';
import { channels, releases } from './channels.ts';
import { flag, moment, uuid } from './columns.ts';
import { organizations, projects } from './organizations.ts';

/** A person's access to an organization, project or channel. Pending until an account has the address. */
export const testerGrants = sqliteTable(
  'tester_grants',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: uuid('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id').references(() => channels.id, { onDelete: 'cascade' }),
    /** Id of the narrowest of the three: the target of the access. */
    targetId: uuid('target_id').notNull(),
    /** The address that was granted access. */
    email: text('email').notNull(),
    /** Null while it is pending. */
    developerId: uuid('developer_id').references(() => developers.id, { onDelete: 'cascade' }),
    grantedBy: uuid('granted_by').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    attachedAt: moment('attached_at'),
    /** When the newest email about the access was written. */
    notifiedAt: moment('notified_at').notNull(),
    /** The join link that the person used, until that link is deleted. */
    joinLinkId: uuid('join_link_id').references(() => joinLinks.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('tester_grants_join_link').on(table.joinLinkId).where(sql`join_link_id is not null`),
    uniqueIndex('tester_grants_developer').on(table.targetId, table.developerId),
    uniqueIndex('tester_grants_pending').on(table.targetId, table.email).where(sql`developer_id is null`),
    index('tester_grants_target').on(table.targetId, table.id),
    index('tester_grants_reach').on(table.developerId, table.targetId),
    index('tester_grants_email').on(table.email),
    index('tester_grants_organization').on(table.organizationId),
    index('tester_grants_project').on(table.projectId),
    index('tester_grants_channel').on(table.channelId),
    index('tester_grants_granted_by').on(table.grantedBy).where(sql`granted_by is not null`),
  ],
);

export const testerGroups = sqliteTable(
  'tester_groups',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** Whether people who reach a channel only through this group get emails about releases. */
    notifyOnRelease: flag('notify_on_release').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('tester_groups_name').on(table.organizationId, table.name),
    index('tester_groups_organization').on(table.organizationId, table.id),
  ],
);

/** Members of a group; pending like grants. */
export const testerGroupMembers = sqliteTable(
  'tester_group_members',
  {
    id: uuid('id').primaryKey(),
    groupId: uuid('group_id')
      .notNull()
      .references(() => testerGroups.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    developerId: uuid('developer_id').references(() => developers.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
    attachedAt: moment('attached_at'),
  },
  (table) => [
    uniqueIndex('tester_group_members_developer').on(table.groupId, table.developerId),
    uniqueIndex('tester_group_members_pending').on(table.groupId, table.email).where(sql`developer_id is null`),
    index('tester_group_members_group').on(table.groupId, table.id),
    index('tester_group_members_reach').on(table.developerId, table.groupId),
    index('tester_group_members_email').on(table.email),
  ],
);

/** A project or channel that the members of a group can access. */
export const testerGroupGrants = sqliteTable(
  'tester_group_grants',
  {
    id: uuid('id').primaryKey(),
    groupId: uuid('group_id')
      .notNull()
      .references(() => testerGroups.id, { onDelete: 'cascade' }),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id').references(() => channels.id, { onDelete: 'cascade' }),
    /** Id of the channel, or of the project if there is no channel. */
    targetId: uuid('target_id').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('tester_group_grants_target').on(table.groupId, table.targetId),
    index('tester_group_grants_group').on(table.groupId, table.id),
    index('tester_group_grants_reach').on(table.targetId, table.groupId),
    index('tester_group_grants_organization').on(table.organizationId),
    index('tester_group_grants_project').on(table.projectId),
    index('tester_group_grants_channel').on(table.channelId),
  ],
);

/** Single-use invitations to a channel. Only token hashes are stored. */
export const channelInvitations = sqliteTable(
  'channel_invitations',
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
    /** The address that may accept; null for everyone with the link. */
    email: text('email'),
    tokenHash: text('token_hash').notNull(),
    invitedBy: uuid('invited_by').references(() => developers.id, { onDelete: 'set null' }),
    /** The person whose permission backs the invitation: the sender, or the owner of the token that sent it. */
    backedBy: uuid('backed_by').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    acceptedAt: moment('accepted_at'),
    acceptedBy: uuid('accepted_by').references(() => developers.id, { onDelete: 'set null' }),
  },
  (table) => [
    uniqueIndex('channel_invitations_token').on(table.tokenHash),
    index('channel_invitations_channel').on(table.channelId, table.id),
    index('channel_invitations_email').on(table.email),
    index('channel_invitations_expires_at').on(table.expiresAt).where(sql`accepted_at is null`),
    index('channel_invitations_accepted_at').on(table.acceptedAt).where(sql`accepted_at is not null`),
    index('channel_invitations_organization').on(table.organizationId),
    index('channel_invitations_project').on(table.projectId),
    index('channel_invitations_backed_by').on(table.backedBy, table.organizationId),
    index('channel_invitations_invited_by').on(table.invitedBy).where(sql`invited_by is not null`),
    index('channel_invitations_accepted_by').on(table.acceptedBy).where(sql`accepted_by is not null`),
  ],
);

/** Reusable links that make people testers of a channel. Only token hashes are stored. */
export const joinLinks = sqliteTable(
  'join_links',
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
    /** What the team calls the link; null for none. */
    label: text('label'),
    tokenHash: text('token_hash').notNull(),
    /** The only domain whose addresses may join, in ASCII; null for all. */
    emailDomain: text('email_domain'),
    /** How many people may join; null for any number. */
    maxPeople: integer('max_people'),
    /** How many people have joined. It never decreases. */
    joined: integer('joined').notNull(),
    createdBy: uuid('created_by').references(() => developers.id, { onDelete: 'set null' }),
    /** The person whose permission backs the link: the creator, or the owner of the token that created it. */
    backedBy: uuid('backed_by').references(() => developers.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    /** Null if it doesn't expire. */
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    uniqueIndex('join_links_token').on(table.tokenHash),
    index('join_links_channel').on(table.channelId, table.id),
    index('join_links_organization').on(table.organizationId, table.revokedAt, table.createdAt, table.expiresAt),
    // Links that aren't revoked, and by their expiry those that haven't expired.
    index('join_links_channel_open').on(table.channelId, table.expiresAt).where(sql`revoked_at is null`),
    index('join_links_project').on(table.projectId),
    index('join_links_backed_by').on(table.backedBy, table.organizationId),
    index('join_links_created_by').on(table.createdBy).where(sql`created_by is not null`),
    index('join_links_expires_at').on(table.expiresAt).where(sql`expires_at is not null`),
    index('join_links_revoked_at').on(table.revokedAt).where(sql`revoked_at is not null`),
  ],
);

/** Accounts that signed up with a join link. They join when their address is verified. */
export const joinLinkSignUps = sqliteTable(
  'join_link_sign_ups',
  {
    developerId: uuid('developer_id')
      .primaryKey()
      .references(() => developers.id, { onDelete: 'cascade' }),
    joinLinkId: uuid('join_link_id')
      .notNull()
      .references(() => joinLinks.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('join_link_sign_ups_link').on(table.joinLinkId)],
);

/**
 * People whose access was removed by the team, so that join links from before can't restore it. Written only while the organization
 * has open join links.
 */
export const testerRemovals = sqliteTable(
  'tester_removals',
  {
    /** The organization, project, channel or tester group that the person was removed from. */
    targetId: uuid('target_id').notNull(),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    removedAt: moment('removed_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.developerId, table.targetId] }),
    index('tester_removals_organization').on(table.organizationId, table.removedAt),
  ],
);

/** People who opted out of emails about a channel's releases. */
export const channelMutes = sqliteTable(
  'channel_mutes',
  {
    channelId: uuid('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    mutedAt: moment('muted_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.developerId] }),
    index('channel_mutes_developer').on(table.developerId),
  ],
);

/** Progress of the emails about a release: developers up to `afterDeveloperId` are done. */
export const releaseAnnouncements = sqliteTable(
  'release_announcements',
  {
    releaseId: uuid('release_id')
      .primaryKey()
      .references(() => releases.id, { onDelete: 'cascade' }),
    afterDeveloperId: text('after_developer_id').notNull(),
    mailed: integer('mailed').notNull(),
    createdAt: moment('created_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [index('release_announcements_finished_at').on(table.finishedAt)],
);

/** Recipients of emails about a release. Written with the email, so that no one gets it twice. */
export const releaseNotifications = sqliteTable(
  'release_notifications',
  {
    releaseId: uuid('release_id')
      .notNull()
      .references(() => releases.id, { onDelete: 'cascade' }),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.releaseId, table.developerId] }),
    index('release_notifications_developer').on(table.developerId),
  ],
);

/**
 * Requests for access to a channel, one per account. A request for a channel that doesn't exist is stored too, without its
 * organization, so that nobody can find out which channels exist.
 */
export const accessRequests = sqliteTable(
  'access_requests',
  {
    id: uuid('id').primaryKey(),
    /** The id in the link, or an id made from a short address. */
    targetId: uuid('target_id').notNull(),
    /** Null if the link leads to no channel. The row remains when the channel is deleted, so that nobody can notice it. */
    channelId: uuid('channel_id').references(() => channels.id, { onDelete: 'set null' }),
    organizationId: uuid('organization_id').references(() => organizations.id, { onDelete: 'set null' }),
    developerId: uuid('developer_id')
      .notNull()
      .references(() => developers.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
    /** When the team was emailed about it. */
    notifiedAt: moment('notified_at'),
    declinedAt: moment('declined_at'),
  },
  (table) => [
    uniqueIndex('access_requests_developer').on(table.developerId, table.targetId),
    index('access_requests_channel').on(table.channelId),
    index('access_requests_organization').on(table.organizationId),
    // Open requests, without those that were declined and are kept for a month.
    index('access_requests_channel_open').on(table.channelId, table.id).where(sql`declined_at is null`),
    index('access_requests_organization_open').on(table.organizationId, table.id).where(sql`declined_at is null`),
    index('access_requests_unannounced')
      .on(table.channelId, table.id)
      .where(sql`declined_at is null and notified_at is null`),
    index('access_requests_created_at').on(table.createdAt),
  ],
);
