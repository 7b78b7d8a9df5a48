// The builds that take most of the storage, so that people see what to delete.
import type { OrganizationContext } from '../core/context.ts';
import { notRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { timestamp } from '../lib/clock.ts';
import type { LargestBuilds } from './schema.ts';

const COUNT = 10;

interface Row {
  id: string;
  projectId: string;
  projectName: string;
  versionName: string;
  buildNumber: number;
  sizeBytes: number;
  uploadedAt: number;
  isReleased: 0 | 1;
}

const largest = prepared((db) =>
  db.$client.prepare<[string, number], Row>(
    `SELECT b.id, b.project_id AS projectId, p.name AS projectName, b.version_name AS versionName, b.build_number AS buildNumber,
        b.size_bytes AS sizeBytes, b.uploaded_at AS uploadedAt,
        EXISTS (SELECT 1 FROM releases r WHERE r.build_id = b.id AND r.state = 'active' AND ${notRemoved('r.channel_id')}) AS isReleased
      FROM builds b JOIN projects p ON p.id = b.project_id
      WHERE b.organization_id = ? AND ${notRemoved('b.project_id')} ORDER BY b.size_bytes DESC, b.id DESC LIMIT ?`,
  ),
);

/** Returns the ten largest builds of an organization, largest first. */
export function listLargestBuilds(ctx: OrganizationContext): LargestBuilds {
  return {
    builds: largest(ctx)
      .all(ctx.organization.id, COUNT)
      .map((row) => ({
        build_id: row.id,
        project_id: row.projectId,
        project_name: row.projectName,
        version_name: row.versionName,
        build_number: row.buildNumber,
        size_bytes: row.sizeBytes,
        uploaded_at: timestamp(row.uploadedAt),
        is_released: row.isReleased === 1,
      })),
  };
}
