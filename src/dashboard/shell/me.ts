// Who is signed in, and in which organization they look around.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Developer } from '../../accounts/schema.ts';
import type { Organization } from '../../organizations/schema.ts';
import {
  type OrganizationPermissionName,
  organizationRoleAllows,
  type ProjectPermissionName,
  projectRoleAllows,
} from '../../permissions.ts';
import type { Project } from '../../projects/schema.ts';
import { useRead } from '../api/api-context.ts';

export const mePath = '/developers/me';
export const organizationsPath = '/organizations';

export interface Visit {
  me: Developer;
  organizations: Organization[];
  /** The one that is looked at; undefined when the developer is in none. */
  organization: Organization | undefined;
  choose(organizationId: string): void;
}

export const VisitContext = createContext<Visit | undefined>(undefined);

/** Who is signed in and where. */
export function useVisit(): Visit {
  const visit = useContext(VisitContext);
  if (visit === undefined) throw new Error('Nobody is signed in around this component');
  return visit;
}

/** The organization that is looked at, for pages that need one. */
export function useOrganization(): Organization {
  const { organization } = useVisit();
  if (organization === undefined) throw new Error('No organization is chosen');
  return organization;
}

/** Reads the account. */
export function useMe(isEnabled = true) {
  return useRead<Developer>(mePath, { isEnabled });
}

/** Reads the caller's organizations. */
export function useOrganizations(isEnabled = true) {
  return useRead<Organization[]>(organizationsPath, { isEnabled });
}

/** Whether a role in an organization allows something. */
export function mayInOrganization({ role }: Organization, permission: OrganizationPermissionName): boolean {
  return role !== null && organizationRoleAllows(role, permission);
}

/** Whether the role in a project allows something. */
export function mayInProject({ role }: Pick<Project, 'role'>, permission: ProjectPermissionName): boolean {
  return projectRoleAllows(role, permission);
}

/** Forgets everything that was read, for when somebody else signs in. */
export function useForget(): () => void {
  const queries = useQueryClient();
  return () => queries.clear();
}
