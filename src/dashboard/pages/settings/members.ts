// Who is in the organization, as far as its settings ask.
import { useEffect } from 'react';
import type { OrganizationMember } from '../../../organizations/members/schema.ts';
import { useReadAll } from '../../api/api-context.ts';
import { useOrganization } from '../../shell/me.ts';

/** Its members, and the administrators among them; undefined until they are read. */
export function useAdmins() {
  const members = useReadAll<OrganizationMember>(`/organizations/${useOrganization().identifier}/members`);
  return { members, admins: members.data?.filter(({ role }) => role === 'admin') };
}

/** Its members as they are now, for words about what something does to them: nothing that was read before is shown. */
export function useMembersNow() {
  const { members } = useAdmins();
  const { data, error, refetch, isFetchedAfterMount } = members;
  useEffect(() => void refetch(), [refetch]);
  return { data: isFetchedAfterMount ? data : undefined, error, refetch };
}
