// Builds that are older than their plan keeps them, and who maintains them.

import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
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
}

/** The build after which a page begins. */
type AgedPosition = Pick<AgedBuild, 'uploadedAt' | 'position'>;

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

const COLUMNS = `b.rowid AS position, b.id, b.project_id AS projectId, p.name AS projectName, b.version_name AS versionName, b.platform,
  b.build_number AS buildNumber, b.package_build_number AS packageBuildNumber, b.uploaded_at AS uploadedAt,
  b.retention_notice_at AS noticeAt, ${IS_CURRENT} AS isCurrent`;

/** The index of ages ends with the row id, so each page starts where the last one ended. The SQL text, for a test of its plan. */
export const AGED_PAGE = `SELECT ${COLUMNS} FROM builds b INDEXED BY builds_age JOIN projects p ON p.id = b.project_id
  WHERE b.organization_id = +@organizationId AND b.uploaded_at <= +@uploadedBy AND (b.uploaded_at, b.rowid) > (+@uploadedAt, +@position)
  ORDER BY b.uploaded_at, b.rowid LIMIT +@limit`;
const agedPage = prepared((db) =>
  db.$client.prepare<[AgedPosition & { organizationId: string; uploadedBy: number; limit: number }], AgedBuild>(
    AGED_PAGE,
  ),
);

const agedById = prepared((db) =>
  db.$client.prepare<[string], AgedBuild>(
    `SELECT ${COLUMNS} FROM builds b JOIN projects p ON p.id = b.project_id WHERE b.id = ?`,
  ),
);

const noticeOf = prepared((db) =>
  db.$client.prepare<[number | null, number]>('UPDATE builds SET retention_notice_at = ? WHERE rowid = ?'),
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

/** Builds read at once. */
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

/** Returns the build as it is in the transaction, or undefined if it was deleted. */
export function findAged(tx: Tx, id: string): AgedBuild | undefined {
  return agedById(tx).get(id);
}

/** Records that the maintainers of a build were notified. */
export function markAnnounced(tx: Tx, position: number): void {
  noticeOf(tx).run(tx.now, position);
}

/** Withdraws the notice of a build that is live on a channel. It gets a new notice when it no longer is. */
export function withdrawNotice(tx: Tx, position: number): void {
  noticeOf(tx).run(null, position);
}

/** Returns the people with a verified address who can maintain projects of the organization. */
export function listMaintainers(app: Db, organizationId: string): Maintainer[] {
  return maintainersOf(app).all({ organizationId });
}
