// The current roles of a developer.
import { and, eq, isNull } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';
import { developers, organizationMemberships, projectMemberships } from '../../data/tables/tables.ts';
import { effectiveProjectRole, type OrganizationRole, type ProjectRole } from '../../permissions.ts';

export interface PresentRoles {
  organizationRole: OrganizationRole | undefined;
  /** Role in the project, if there is one. Managers and admins of the organization are admins of all projects. */
  projectRole: ProjectRole | undefined;
}

const findRoles = prepared((db) =>
  db
    .select({ organizationRole: organizationMemberships.role, projectRole: projectMemberships.role })
    .from(organizationMemberships)
    .innerJoin(developers, eq(developers.id, organizationMemberships.developerId))
    .leftJoin(
      projectMemberships,
      and(
        eq(projectMemberships.projectId, placeholder('projectId')),
        eq(projectMemberships.developerId, organizationMemberships.developerId),
      ),
    )
    .where(
      and(
        eq(organizationMemberships.organizationId, placeholder('organizationId')),
        eq(organizationMemberships.developerId, placeholder('developerId')),
        isNull(developers.lockedAt),
      ),
    )
    .prepare(),
);

/**
 * Returns the current roles of a developer in an organization and one of its projects, or none for a locked or unknown
 * account.
 */
export function presentRoles(
  app: Pick<App, 'db'>,
  developerId: string | null,
  { organizationId, projectId }: { organizationId: string; projectId: string | null },
): PresentRoles {
  const row =
    developerId === null ? undefined : findRoles(app).get({ developerId, organizationId, projectId: projectId ?? '' });
  const organizationRole = row?.organizationRole;
  return { organizationRole, projectRole: effectiveProjectRole(organizationRole, row?.projectRole ?? undefined) };
}
