// The people who administer a project: its own admins, and the managers and admins of its organization.
import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';

interface Wanted {
  organizationId: string;
  projectId: string;
  after: string;
  limit: number;
}

const adminsAfter = prepared((db) =>
  db.$client.prepare<[Wanted], { id: string; email: string }>(
    `SELECT d.id, d.email FROM organization_memberships m
      JOIN developers d ON d.id = m.developer_id
      LEFT JOIN project_memberships p ON p.project_id = @projectId AND p.developer_id = m.developer_id
     WHERE m.organization_id = @organizationId AND m.developer_id > @after
       AND (m.role IN ('manager', 'admin') OR p.role = 'admin')
       AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL
     ORDER BY m.developer_id LIMIT @limit`,
  ),
);

/** Returns the admins of a project with a usable address, in the order of their ids. */
export function listProjectAdmins(app: Pick<App, 'db'>, wanted: Wanted): { id: string; email: string }[] {
  return adminsAfter(app).all(wanted);
}
