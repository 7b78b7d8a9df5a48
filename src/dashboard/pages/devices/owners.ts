// Whose a device is: members, and testers where the caller may see them.
import type { OrganizationMember } from '../../../organizations/members/schema.ts';
import type { TesterGrant } from '../../../testers/grants/schema.ts';
import { useReadAll } from '../../api/api-context.ts';
import { mayInOrganization, useOrganization, useVisit } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';

export interface Owners {
  nameOf(developerId: string | null): string;
  /** For a field that chooses one; '' is nobody. */
  choices: { value: string; label: string }[];
}

/** The people of the organization, by name. Who may not manage devices can choose nobody and themselves. */
export function useOwners(): Owners {
  const t = useTexts().devices;
  const { me } = useVisit();
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
