// Names of members by id.
import { useMemo } from 'react';
import { useReadAll } from '../api/hooks.ts';

interface Member {
  developer_id: string;
  display_name: string;
}

function useMembers(organizationId: string | undefined) {
  return useReadAll<Member>(`/organizations/${organizationId}/members`, { isEnabled: organizationId !== undefined });
}

/** Returns a function that finds the name of a member; undefined for former members and while members are loading. */
export function useMemberNames(organizationId: string): (id: string | null) => string | undefined {
  const members = useMembers(organizationId);
  return (id) => members.data?.find(({ developer_id }) => developer_id === id)?.display_name;
}

/** Reads the names of members by id. Without an organization it reads nothing. */
export function useMemberNamesById(organizationId: string | undefined): {
  data: ReadonlyMap<string, string> | undefined;
  isPending: boolean;
} {
  const { data: members, isPending } = useMembers(organizationId);
  const data = useMemo(
    () => members && new Map(members.map((member) => [member.developer_id, member.display_name])),
    [members],
  );
  return { data, isPending };
}
