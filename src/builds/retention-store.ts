// Builds that retention may delete by the plan's days or the rules of channels, and who maintains them.

import type { App, Tx } from '../core/context.ts';
import { notRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import type { Tier } from '../lib/tiers.ts';
import type { Platform } from '../platforms.ts';

type Db = Pick<App, 'db'>;

/** A build that is old enough for a notice. */
export interface AgedBuild {
  /** The row id, which ends the index of ages. */
  position: number;
  id: string;
  projectId: string;
  projectName: string;
  versionName: string;
  platform: Platform;
  buildNumber: number;
  packageBuildNumber: string | null;
  uploadedAt: number;
  /** When its deletion was last announced; null if it wasn't. */
  noticeAt: number | null;
  /** Whether it is live on a channel: the newest active release there whose build isn't revoked. */
  isCurrent: 0 | 1;
  /** Since when it is pinned; null if it isn't. */
  pinnedAt: number | null;
}

/** The build after which a page begins. */
type AgedPosition = Pick<AgedBuild, 'uploadedAt' | 'position'>;

/** What a channel keeps. With neither, it keeps all builds. */
export interface ChannelRule {
  id: string;
  keepLast: number | null;
  keepDays: number | null;
}

/** A release of a build, with the rule of its channel. */
export interface RuledRelease {
  id: string;
  releasedAt: number;
  channelId: string;
  keepLast: number | null;
  keepDays: number | null;
}

export interface PlannedOrganization {
  id: string;
  name: string;
  tier: Tier;
}

export interface Maintainer {
  developerId: string;
  email: string;
  /** Null for all projects of the organization. */
  projectId: string | null;
}

/** Matches if build `b` is live on a channel: the newest active release there whose build isn't revoked. */
const IS_CURRENT = `EXISTS (SELECT 1 FROM releases r WHERE r.build_id = b.id AND r.id = (
    SELECT newest.id FROM releases newest JOIN builds served ON served.id = newest.build_id
      WHERE newest.channel_id = r.channel_id AND newest.state = 'active' AND served.revoked_at IS NULL
      ORDER BY newest.id DESC LIMIT 1))`;

const COLUMNS = `b.rowid AS position, b.id, b.project_id AS projectId, p.name AS projectName, b.version_name AS versionName, b.platform,
  b.build_number AS buildNumber, b.package_build_number AS packageBuildNumber, b.uploaded_at AS uploadedAt,
  b.retention_notice_at AS noticeAt, b.pinned_at AS pinnedAt, ${IS_CURRENT} AS isCurrent`;

/** The index of ages ends with the row id, so each page starts where the last one ended. The SQL text, for a test of its plan. */
export const AGED_PAGE = `SELECT ${COLUMNS} FROM builds b INDEXED BY builds_age JOIN projects p ON p.id = b.project_id
  WHERE b.organization_id = +@organizationId AND b.uploaded_at <= +@uploadedBy AND (b.uploaded_at, b.rowid) > (+@uploadedAt, +@position)
  ORDER BY b.uploaded_at, b.rowid LIMIT +@limit`;
const agedPage = prepared((db) =>
  db.$client.prepare<[AgedPosition & { organizationId: string; uploadedBy: number; limit: number }], AgedBuild>(
    AGED_PAGE,
  ),
);

/** The builds of an organization that were announced, by project. The SQL text, for a test of its plan. */
export const ANNOUNCED_PAGE = `SELECT ${COLUMNS} FROM builds b INDEXED BY builds_announced JOIN projects p ON p.id = b.project_id
  WHERE b.organization_id = @organizationId AND b.retention_notice_at IS NOT NULL AND (b.project_id, b.id) > (@projectId, @id)
  ORDER BY b.project_id, b.id LIMIT @limit`;
const announcedPage = prepared((db) =>
  db.$client.prepare<[{ organizationId: string; projectId: string; id: string; limit: number }], AgedBuild>(
    ANNOUNCED_PAGE,
  ),
);

/** The announced builds of a project, newest first. The SQL text, for a test of its plan. */
export const ANNOUNCED_OF_PROJECT = `SELECT ${COLUMNS} FROM builds b INDEXED BY builds_announced JOIN projects p ON p.id = b.project_id
  WHERE b.organization_id = @organizationId AND b.project_id = @projectId AND b.retention_notice_at IS NOT NULL AND b.id < @before
  ORDER BY b.id DESC LIMIT @limit`;
const announcedOfProject = prepared((db) =>
  db.$client.prepare<[{ organizationId: string; projectId: string; before: string; limit: number }], AgedBuild>(
    ANNOUNCED_OF_PROJECT,
  ),
);

const ruledChannels = prepared((db) =>
  db.$client.prepare<[{ organizationId: string; after: string; limit: number }], ChannelRule>(
    `SELECT id, keep_last AS keepLast, keep_days AS keepDays FROM channels INDEXED BY channels_retention
      WHERE organization_id = @organizationId AND (keep_last IS NOT NULL OR keep_days IS NOT NULL) AND id > @after
        AND ${notRemoved('project_id')}
      ORDER BY id LIMIT @limit`,
  ),
);

/** The oldest releases of a channel with their builds. The SQL text, for a test of its plan. */
export const RELEASED_PAGE = `SELECT r.id AS releaseId, r.created_at AS releasedAt, ${COLUMNS}
  FROM releases r INDEXED BY releases_channel JOIN builds b ON b.id = r.build_id JOIN projects p ON p.id = b.project_id
  WHERE r.channel_id = @channelId AND r.id > @after ORDER BY r.id LIMIT @limit`;
const releasedPage = prepared((db) =>
  db.$client.prepare<
    [{ channelId: string; after: string; limit: number }],
    AgedBuild & { releaseId: string; releasedAt: number }
  >(RELEASED_PAGE),
);

/** The newest releases of a build. Channels that are being deleted no longer have a row. The SQL text, for a test of its plan. */
export const RELEASES_OF_BUILD = `SELECT r.id, r.created_at AS releasedAt, c.id AS channelId, c.keep_last AS keepLast, c.keep_days AS keepDays
  FROM releases r JOIN channels c ON c.id = r.channel_id WHERE r.build_id = ? ORDER BY r.id DESC LIMIT ?`;
const releasesOfBuild = prepared((db) => db.$client.prepare<[string, number], RuledRelease>(RELEASES_OF_BUILD));

/** A release of a channel by its place, newest first, without those that are being deleted with their build. */
const releaseAt = prepared((db) =>
  db.$client
    .prepare<[string, number], string>(
      `SELECT id FROM releases WHERE channel_id = ? AND ${notRemoved('build_id')} ORDER BY id DESC LIMIT 1 OFFSET ?`,
    )
    .pluck(),
);

const pinnedOf = prepared((db) =>
  db.$client
    .prepare<[string, number], number>(
      'SELECT count(*) FROM (SELECT 1 FROM builds WHERE project_id = ? AND pinned_at IS NOT NULL LIMIT ?)',
    )
    .pluck(),
);

const agedById = prepared((db) =>
  db.$client.prepare<[string], AgedBuild>(
    `SELECT ${COLUMNS} FROM builds b JOIN projects p ON p.id = b.project_id WHERE b.id = ?`,
  ),
);

const noticeOf = prepared((db) =>
  db.$client.prepare<[number | null, number]>('UPDATE builds SET retention_notice_at = ? WHERE rowid = ?'),
);

/**
 * Members of projects are read by project: by member, each would be looked up in each project of the organization. The SQL text, for a
 * test of its plan.
 */
export const MAINTAINERS = `SELECT d.id AS developerId, d.email, NULL AS projectId
    FROM organization_memberships m JOIN developers d ON d.id = m.developer_id
    WHERE m.organization_id = @organizationId AND m.role IN ('manager', 'admin')
      AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL
  UNION ALL
  SELECT d.id, d.email, pm.project_id
    FROM projects p CROSS JOIN project_memberships pm ON pm.project_id = p.id
      JOIN organization_memberships m ON m.organization_id = p.organization_id AND m.developer_id = pm.developer_id
      JOIN developers d ON d.id = pm.developer_id
    WHERE p.organization_id = @organizationId AND m.role = 'member' AND pm.role IN ('maintainer', 'admin')
      AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL`;
const maintainersOf = prepared((db) => db.$client.prepare<{ organizationId: string }, Maintainer>(MAINTAINERS));

const organizationsAfter = prepared((db) =>
  db.$client.prepare<[string], PlannedOrganization>(
    'SELECT id, name, tier FROM organizations WHERE id > ? ORDER BY id LIMIT 100',
  ),
);

/** Yields all organizations with their plans. */
export function* listPlans(app: Db): Generator<PlannedOrganization> {
  for (let rows = organizationsAfter(app).all(''); rows.length > 0; ) {
    yield* rows;
    rows = organizationsAfter(app).all(rows.at(-1)?.id ?? '');
  }
}

/** Builds read together. */
const PAGE = 100;

/** Yields pages of an organization's builds that were uploaded at `uploadedBy` or before, oldest first. */
export function* walkAged(app: Db, organizationId: string, uploadedBy: number): Generator<AgedBuild[]> {
  let after: AgedPosition = { uploadedAt: Number.MIN_SAFE_INTEGER, position: 0 };
  for (;;) {
    const { uploadedAt, position } = after;
    const page = agedPage(app).all({ organizationId, uploadedBy, uploadedAt, position, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last;
  }
}

/** Yields pages of an organization's builds that were announced, by project. */
export function* walkAnnounced(app: Db, organizationId: string): Generator<AgedBuild[]> {
  let after = { projectId: '', id: '' };
  for (;;) {
    const page = announcedPage(app).all({ organizationId, ...after, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = { projectId: last.projectId, id: last.id };
  }
}

/** Returns builds of a project that were announced, with ids below `before`, newest first. */
export function listAnnounced(
  app: Db,
  of: { organizationId: string; projectId: string; before: string; limit: number },
): AgedBuild[] {
  return announcedOfProject(app).all(of);
}

/** Yields the channels of an organization that have a rule. */
export function* listRuledChannels(app: Db, organizationId: string): Generator<ChannelRule> {
  const after = (id: string) => ruledChannels(app).all({ organizationId, after: id, limit: PAGE });
  for (let rows = after(''); rows.length > 0; rows = after(rows.at(-1)?.id ?? '')) yield* rows;
}

/** Yields pages of the builds released to a channel, by release, oldest first. */
export function* walkReleased(
  app: Db,
  channelId: string,
): Generator<(AgedBuild & { releaseId: string; releasedAt: number })[]> {
  let after = '';
  for (;;) {
    const page = releasedPage(app).all({ channelId, after, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.releaseId;
  }
}

/** Returns up to `limit` releases of a build with the rules of their channels, newest first. */
export function listRuledReleases(app: Db, buildId: string, limit: number): RuledRelease[] {
  return releasesOfBuild(app).all(buildId, limit);
}

/** Returns the id of a channel's release by its place among the newest, from 1; undefined if it has fewer. */
export function findReleaseAt(app: Db, channelId: string, place: number): string | undefined {
  return releaseAt(app).get(channelId, place - 1);
}

/** Counts the pinned builds of a project up to `most`. */
export function countPinned(app: Db, projectId: string, most: number): number {
  return pinnedOf(app).get(projectId, most) ?? 0;
}

/** Returns the build as it is in the transaction, or undefined if it was deleted. */
export function findAged(tx: Tx, id: string): AgedBuild | undefined {
  return agedById(tx).get(id);
}

/** Records that the maintainers of a build were notified. */
export function markAnnounced(tx: Tx, position: number): void {
  noticeOf(tx).run(tx.now, position);
}

/** Withdraws the notice of a build that is kept. It gets a new notice when it no longer is. */
export function withdrawNotice(tx: Tx, position: number): void {
  noticeOf(tx).run(null, position);
}

/** Returns the people with a verified address who can maintain projects of the organization. */
export function listMaintainers(app: Db, organizationId: string): Maintainer[] {
  return maintainersOf(app).all({ organizationId });
}
