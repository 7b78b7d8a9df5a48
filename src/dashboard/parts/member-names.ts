// Names of people by their ids, for lists that say who did something.
import { useReadAll } from '../api/api-context.ts';

interface Member {
  developer_id: string;
  display_name: string;
}

/** The name of a member of the organization; undefined for who is none any more, and while that is being read. */
export function useMemberNames(organizationId: string): (id: string | null) => string | undefined {
  const members = useReadAll<Member>(`/organizations/${organizationId}/members`);
  return (id) => members.data?.find(({ developer_id }) => developer_id === id)?.display_name;
}
