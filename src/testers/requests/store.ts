// Queries for requests for access.
import type { App } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';

const addressesOf = prepared((db) =>
  db.$client
    .prepare<[{ organizationId: string; projectId: string; limit: number }], string>(
      `SELECT d.email FROM project_memberships pm
          JOIN organization_memberships m ON m.organization_id = @organizationId AND m.developer_id = pm.developer_id
          JOIN developers d ON d.id = pm.developer_id
        WHERE pm.project_id = @projectId AND m.role = 'member' AND pm.role IN ('maintainer', 'admin')
          AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL
      UNION ALL
      SELECT d.email FROM organization_memberships m JOIN developers d ON d.id = m.developer_id
        WHERE m.organization_id = @organizationId AND m.role IN ('manager', 'admin')
          AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL
      LIMIT @limit`,
    )
    .pluck(),
);

/** Returns addresses of people who can answer requests: those of the project first, then managers of the organization. */
export function listMaintainerAddresses(
  app: Pick<App, 'db'>,
  place: { organizationId: string; projectId: string },
  limit: number,
): string[] {
  const { organizationId, projectId } = place;
  return addressesOf(app).all({ organizationId, projectId, limit });
}
