// Whether the caller of an operation of an organization has a permission in its projects, for lists across projects.

import { developerIdOf } from '../../core/actor.ts';
import type { OrganizationContext } from '../../core/context.ts';
import { type ProjectPermissionName, permissions, projectRoleAllows, scopesCover } from '../../permissions.ts';
import { presentRoles } from './roles.ts';

/**
 * Returns a function that returns whether the caller has a permission in a project: people, and their tokens with its scope. Each
 * project is read once.
 */
export function createProjectCheck(
  ctx: OrganizationContext,
  permission: ProjectPermissionName,
): (projectId: string) => boolean {
  const { actor, organization } = ctx;
  const developerId = developerIdOf(actor);
  const needed = permissions[permission].scope;
  const lacksScope = actor.kind === 'personal_access_token' && !scopesCover(actor.scopes, needed);
  if (developerId === null || lacksScope) return () => false;
  const known = new Map<string, boolean>();
  return (projectId) => {
    let isAllowed = known.get(projectId);
    if (isAllowed === undefined) {
      const { projectRole } = presentRoles(ctx, developerId, { organizationId: organization.id, projectId });
      isAllowed = projectRole !== undefined && projectRoleAllows(projectRole, permission);
      known.set(projectId, isAllowed);
    }
    return isAllowed;
  };
}
