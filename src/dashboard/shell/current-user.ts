// The signed-in user and the selected organization.
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
import { useRead } from '../api/hooks.ts';
import { useAppStatus } from './app-status.ts';

export const mePath = '/developers/me';
export const organizationsPath = '/organizations';

export interface CurrentUser {
  me: Developer;
  organizations: Organization[];
  /** The selected organization; undefined if the user is in none. */
  organization: Organization | undefined;
  switchOrganization(organizationId: string): void;
}

export const CurrentUserContext = createContext<CurrentUser | undefined>(undefined);

/** Returns the signed-in user and the selected organization. */
export function useCurrentUser(): CurrentUser {
  const visit = useContext(CurrentUserContext);
  if (visit === undefined) throw new Error('Nobody is signed in around this component');
  return visit;
}

/** Returns the selected organization, for pages that require one. */
export function useOrganization(): Organization {
  const { organization } = useCurrentUser();
  if (organization === undefined) throw new Error('No organization is chosen');
  return organization;
}

/** Reads the user's account. */
export function useMe(isEnabled = true) {
  return useRead<Developer>(mePath, { isEnabled });
}

/** Reads the user's organizations. */
export function useOrganizations(isEnabled = true) {
  return useRead<Organization[]>(organizationsPath, { isEnabled });
}

/** Returns whether an account is read-only until its address is verified. */
export function isUnverified({ email_verified: isVerified, vouched }: Developer): boolean {
  return !isVerified && !vouched;
}

/** Returns whether the user's role in an organization has a permission. */
export function mayInOrganization({ role }: Organization, permission: OrganizationPermissionName): boolean {
  return role !== null && organizationRoleAllows(role, permission);
}

/** Returns whether the user's role in a project has a permission. */
export function mayInProject({ role }: Pick<Project, 'role'>, permission: ProjectPermissionName): boolean {
  return projectRoleAllows(role, permission);
}

/** Returns a function that forgets the previous session: all cached data, and that it has expired. For use when a user signs in. */
export function useForgetSession(): () => void {
  const queries = useQueryClient();
  const { session } = useAppStatus();
  return () => {
    queries.clear();
    session.markActive();
  };
}
