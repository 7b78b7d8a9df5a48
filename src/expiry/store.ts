// Queries for current releases with the expiry of their signing, and for sent warnings.

import { and, eq, lte, max, or, sql } from 'drizzle-orm';
import { type Placeholder, placeholder } from 'drizzle-orm/sql/sql';
import { parseFacts } from '../builds/fact-store.ts';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import {
  buildFacts,
  builds,
  channels,
  expiryNotices,
  organizations,
  projects,
  releases,
} from '../data/tables/tables.ts';
import type { ArchiveFacts } from '../inspection/facts.ts';
import type { Platform } from '../platforms.ts';

type Db = Pick<App, 'db'>;

/** A current release with the expiry of its signing. Names are untrusted text. */
export interface SignedRelease {
  organizationId: string;
  organizationName: string;
  projectId: string;
  projectName: string;
  channelId: string;
  channelName: string;
  releaseId: string;
  buildId: string;
  platform: Platform;
  versionName: string;
  buildNumber: number;
  packageBuildNumber: string | null;
  profileExpiresAt: number | null;
  certificateExpiresAt: number | null;
  archive: ArchiveFacts;
}

/** The newest active release of the channel whose build isn't revoked (docs/specification/channels.md#releases). */
const currentOfChannel = sql`(
  select r.id from ${releases} r join ${builds} b on b.id = r.build_id
  where r.channel_id = ${channels.id} and r.state = 'active' and b.revoked_at is null
  order by r.id desc limit 1)`;

const columns = {
  organizationId: organizations.id,
  organizationName: organizations.name,
  projectId: projects.id,
  projectName: projects.name,
  channelId: channels.id,
  channelName: channels.name,
  releaseId: releases.id,
  buildId: builds.id,
  platform: builds.platform,
  versionName: builds.versionName,
  buildNumber: builds.buildNumber,
  packageBuildNumber: builds.packageBuildNumber,
  profileExpiresAt: buildFacts.profileExpiresAt,
  certificateExpiresAt: buildFacts.certificateExpiresAt,
  content: buildFacts.content,
};

const endingOfChannel = prepared((db) =>
  db
    .select(columns)
    .from(channels)
    .innerJoin(projects, eq(projects.id, channels.projectId))
    .innerJoin(organizations, eq(organizations.id, projects.organizationId))
    .innerJoin(releases, eq(releases.id, currentOfChannel))
    .innerJoin(builds, eq(builds.id, releases.buildId))
    .innerJoin(buildFacts, eq(buildFacts.buildId, builds.id))
    .where(and(eq(channels.id, placeholder('channelId')), endsUntil(placeholder('until'))))
    .prepare(),
);

/** Returns a channel's current release if its profile or certificate expires before a time or has expired. */
export function findEnding(app: Db, channelId: string, until: number): SignedRelease | undefined {
  const row = endingOfChannel(app).get({ channelId, until });
  return row && toSignedRelease(row);
}

const channelsAfter = prepared((db) =>
  db.$client.prepare<[string, number], string>('SELECT id FROM channels WHERE id > ? ORDER BY id LIMIT ?').pluck(),
);

/** Returns the ids of channels of all organizations above `after`, oldest first. */
export function listChannelIds(app: Db, after: string, limit: number): string[] {
  return channelsAfter(app).all(after, limit);
}

function endsUntil(until: Placeholder) {
  return or(lte(buildFacts.profileExpiresAt, until), lte(buildFacts.certificateExpiresAt, until));
}

function toSignedRelease({ content, ...row }: Omit<SignedRelease, 'archive'> & { content: string }): SignedRelease {
  return { ...row, archive: parseFacts(content) };
}

/** Records a warning. Returns false if it was already sent. */
export function claimNotice(tx: Tx, notice: Omit<typeof expiryNotices.$inferInsert, 'sentAt'>): boolean {
  const { changes } = tx.db
    .insert(expiryNotices)
    .values({ ...notice, sentAt: tx.now })
    .onConflictDoNothing()
    .run();
  return changes === 1;
}

/** Returns the time of an organization's last warning for each subject. */
export function listLastWarnings(app: Db, organizationId: string): Map<string, number> {
  const rows = app.db
    .select({ subject: expiryNotices.subject, sentAt: max(expiryNotices.sentAt) })
    .from(expiryNotices)
    .where(eq(expiryNotices.organizationId, organizationId))
    .groupBy(expiryNotices.subject)
    .all();
  return new Map(rows.map(({ subject, sentAt }) => [subject, sentAt ?? 0]));
}

/** Deletes warnings about items that expired before a time. Returns the number deleted. */
export function deleteOldWarnings(tx: Tx, endedBefore: number): number {
  return tx.db.delete(expiryNotices).where(lte(expiryNotices.expiresAt, endedBefore)).run().changes;
}
