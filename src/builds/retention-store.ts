// Builds that are older than their plan keeps them, and who maintains them.

import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import type { Platform } from '../platforms.ts';

type Db = Pick<App, 'db'>;

export interface AgedBuild {
  id: string;
  projectId: string;
  projectName: string;
  versionName: string;
  platform: Platform;
  buildNumber: number;
  packageBuildNumber: string | null;
  uploadedAt: number;
}

/** Parameters of the queries: builds uploaded at `uploadedBy` or before. */
export interface Aged {
  organizationId: string;
  uploadedBy: number;
  /** 1 excludes builds that are live on a channel. */
  keepsCurrent: 0 | 1;
  limit: number;
}

export interface PlannedOrganization {
  id: string;
  name: string;
  tier: 'team' | 'business';
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

/**
 * Matches builds without a notice, or whose deletion date has changed since. A notice is valid from a week before the
 * date it announced.
 */
const unannounced = prepared((db) =>
  db.$client.prepare<[Aged & { weekBeforeEndAge: number }], AgedBuild>(
    `SELECT b.id, b.project_id AS projectId, p.name AS projectName, b.version_name AS versionName,
        b.platform, b.build_number AS buildNumber, b.package_build_number AS packageBuildNumber, b.uploaded_at AS uploadedAt
      FROM builds b JOIN projects p ON p.id = b.project_id
      WHERE b.organization_id = @organizationId AND b.uploaded_at <= @uploadedBy
        AND (b.retention_notice_at IS NULL OR b.retention_notice_at < b.uploaded_at + @weekBeforeEndAge)
        AND (@keepsCurrent = 0 OR NOT ${IS_CURRENT})
      ORDER BY b.uploaded_at LIMIT @limit`,
  ),
);

const expired = prepared((db) =>
  db.$client
    .prepare<[Aged & { weekBeforeEndAge: number; announcedBy: number }], string>(
      `SELECT b.id FROM builds b
        WHERE b.organization_id = @organizationId AND b.uploaded_at <= @uploadedBy
          AND b.retention_notice_at >= b.uploaded_at + @weekBeforeEndAge AND b.retention_notice_at <= @announcedBy
          AND (@keepsCurrent = 0 OR NOT ${IS_CURRENT})
        ORDER BY b.uploaded_at LIMIT @limit`,
    )
    .pluck(),
);

const noticeOf = prepared((db) =>
  db.$client.prepare<[number, string]>('UPDATE builds SET retention_notice_at = ? WHERE id = ?'),
);

/** Reads only builds that are old enough to have a notice. */
const withdrawn = prepared((db) =>
  db.$client.prepare<[{ organizationId: string; uploadedBy: number }]>(
    `UPDATE builds AS b SET retention_notice_at = NULL
      WHERE b.organization_id = @organizationId AND b.uploaded_at <= @uploadedBy
        AND b.retention_notice_at IS NOT NULL AND ${IS_CURRENT}`,
  ),
);

const maintainersOf = prepared((db) =>
  db.$client.prepare<{ organizationId: string }, Maintainer>(
    `SELECT d.id AS developerId, d.email, NULL AS projectId
        FROM organization_memberships m JOIN developers d ON d.id = m.developer_id
        WHERE m.organization_id = @organizationId AND m.role IN ('manager', 'admin')
          AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL
      UNION ALL
      SELECT d.id, d.email, pm.project_id
        FROM project_memberships pm JOIN projects p ON p.id = pm.project_id
          JOIN organization_memberships m ON m.organization_id = p.organization_id AND m.developer_id = pm.developer_id
          JOIN developers d ON d.id = pm.developer_id
        WHERE p.organization_id = @organizationId AND m.role = 'member' AND pm.role IN ('maintainer', 'admin')
          AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL`,
  ),
);

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

/** Returns the oldest builds whose deletion hasn't been announced. */
export function listUnannounced(app: Db, asked: Aged & { weekBeforeEndAge: number }): AgedBuild[] {
  return unannounced(app).all(asked);
}

/** Returns the ids of the oldest builds that are due for deletion and were announced in time. */
export function listExpiredBuilds(app: Db, asked: Aged & { weekBeforeEndAge: number; announcedBy: number }): string[] {
  return expired(app).all(asked);
}

/** Records that the maintainers of a build were notified. */
export function markAnnounced(tx: Tx, id: string): void {
  noticeOf(tx).run(tx.now, id);
}

/** Withdraws the notices of builds that are live on a channel. They get a new notice when they no longer are. */
export function withdrawNotices(tx: Tx, organizationId: string, uploadedBy: number): void {
  withdrawn(tx).run({ organizationId, uploadedBy });
}

/** Returns the people with a verified address who can maintain projects of the organization. */
export function listMaintainers(app: Db, organizationId: string): Maintainer[] {
  return maintainersOf(app).all({ organizationId });
}
