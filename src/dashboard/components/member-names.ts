// Names of members by id.
import { useReadAll } from '../api/hooks.ts';

interface Member {
  developer_id: string;
  display_name: string;
}

/** Returns a function that finds the name of a member; undefined for former members and while members are loading. */
export function useMemberNames(organizationId: string): (id: string | null) => string | undefined {
  const members = useReadAll<Member>(`/organizations/${organizationId}/members`);
  return (id) => members.data?.find(({ developer_id }) => developer_id === id)?.display_name;
}
