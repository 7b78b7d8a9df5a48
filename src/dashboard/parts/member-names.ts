// Names of members by id.
import { useMemo } from 'react';
import { useReadAll } from '../api/hooks.ts';

interface Member {
  developer_id: string;
  display_name: string;
}

function useMembers(organizationId: string) {
  return useReadAll<Member>(`/organizations/${organizationId}/members`);
}

/** Returns a function that finds the name of a member; undefined for former members and while members are loading. */
export function useMemberNames(organizationId: string): (id: string | null) => string | undefined {
  const members = useMembers(organizationId);
  return (id) => members.data?.find(({ developer_id }) => developer_id === id)?.display_name;
}

/** Returns the names of members by id; undefined while members are loading. */
export function useMemberNamesById(organizationId: string): ReadonlyMap<string, string> | undefined {
  const { data } = useMembers(organizationId);
  return useMemo(() => data && new Map(data.map((member) => [member.developer_id, member.display_name])), [data]);
}
