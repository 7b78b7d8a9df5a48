// Who is in the organization, as far as its settings ask.
import type { OrganizationMember } from '../../../organizations/members/schema.ts';
import { useReadAll } from '../../api/api-context.ts';
import { useOrganization } from '../../shell/me.ts';

/** Its members, and the administrators among them; undefined until they are read. */
export function useAdmins() {
  const members = useReadAll<OrganizationMember>(`/organizations/${useOrganization().identifier}/members`);
  return { members, admins: members.data?.filter(({ role }) => role === 'admin') };
}
