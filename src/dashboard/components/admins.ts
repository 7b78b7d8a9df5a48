// Members and admins of an organization.
import { useEffect } from 'react';
import type { OrganizationMember } from '../../organizations/members/schema.ts';
import { useReadAll } from '../api/hooks.ts';
import { useOrganization } from '../shell/current-user.ts';

/**
 * Reads the members of an organization, by default of the selected one. `admins` is undefined until they are loaded. It excludes
 * admins whose account is scheduled for deletion, who don't count as the admin that an organization must have.
 */
export function useAdmins(organizationId?: string) {
  const { identifier } = useOrganization();
  const members = useReadAll<OrganizationMember>(`/organizations/${organizationId ?? identifier}/members`);
  return {
    members,
    admins: members.data?.filter(({ role, deletion_pending: isPending }) => role === 'admin' && !isPending),
  };
}

/** Reads the members without using cached data, for confirmations that depend on the current list. */
export function useFreshMembers() {
  const { members } = useAdmins();
  const { data, error, refetch, isFetchedAfterMount } = members;
  useEffect(() => void refetch(), [refetch]);
  return { data: isFetchedAfterMount ? data : undefined, error, refetch };
}
