// The effective role of a project access token: the lower of its own role and its owner's current role in the project.
import { sql } from 'drizzle-orm/sql/sql';
import { effectiveProjectRole, lowerProjectRole, type OrganizationRole, type ProjectRole } from '../permissions.ts';

/** The roles that limit a token. */
export interface OwnerRoles {
  /** Null if the owner isn't a member of the organization or the owner's account is locked. */
  ownerOrganizationRole: OrganizationRole | null;
  ownerProjectRole: ProjectRole | null;
}

/**
 * Columns with the roles of each token's owner, for a query of `project_access_tokens`. They're written as text because drizzle
 * omits table names from columns in queries of a single table.
 */
export const ownerRoles = {
  ownerOrganizationRole: sql<OrganizationRole | null>`(SELECT m.role FROM organization_memberships m
    JOIN developers d ON d.id = m.developer_id AND d.locked_at IS NULL
    WHERE m.organization_id = project_access_tokens.organization_id
      AND m.developer_id = project_access_tokens.owner_id)`.as('owner_organization_role'),
  ownerProjectRole: sql<ProjectRole | null>`(SELECT m.role FROM project_memberships m
    WHERE m.project_id = project_access_tokens.project_id
      AND m.developer_id = project_access_tokens.owner_id)`.as('owner_project_role'),
};

/** Returns the effective role of a token, or undefined if its owner has no access to the project. The token is then rejected. */
export function actingRole(role: ProjectRole, owner: OwnerRoles): ProjectRole | undefined {
  const held = effectiveProjectRole(owner.ownerOrganizationRole ?? undefined, owner.ownerProjectRole ?? undefined);
  return held === undefined ? undefined : lowerProjectRole(role, held);
}
