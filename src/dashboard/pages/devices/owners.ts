// Possible owners of devices: members, and testers if the user may list them.
import type { OrganizationMember } from '../../../organizations/members/schema.ts';
import type { TesterGrant } from '../../../testers/grants/schema.ts';
import { useReadAll } from '../../api/hooks.ts';
import { mayInOrganization, useCurrentUser, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';

export interface Owners {
  nameOf(developerId: string | null): string;
  /** Options of the owner field; '' means no owner. */
  choices: { value: string; label: string }[];
}

/** Reads the people of the organization. Users who can't manage devices can only select themselves or nobody. */
export function useOwners(): Owners {
  const t = useTexts().devices;
  const { me } = useCurrentUser();
  const organization = useOrganization();
  const path = `/organizations/${organization.identifier}`;
  const isManager = mayInOrganization(organization, 'device.manage');
  const members = useReadAll<OrganizationMember>(`${path}/members`);
  const mayListTesters = mayInOrganization(organization, 'organization_tester.list');
  const testers = useReadAll<TesterGrant>(`${path}/testers`, { isEnabled: mayListTesters });
  const names = new Map<string, string>([[me.identifier, me.display_name]]);
  for (const { developer_id: id, display_name: name } of members.data ?? []) names.set(id, name);
  for (const { developer_id: id, display_name: name, email } of testers.data ?? []) {
    if (id !== null && !names.has(id)) names.set(id, name ?? email);
  }
  const people = isManager ? [...names] : [[me.identifier, me.display_name] as const];
  return {
    nameOf: (id) => (id === null ? t.noOwner : (names.get(id) ?? t.unknownOwner)),
    choices: [{ value: '', label: t.noOwner }, ...people.map(([value, label]) => ({ value, label }))],
  };
}
