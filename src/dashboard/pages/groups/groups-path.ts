// Where the groups of an organization are in the API.
import type { TesterGroup } from '../../../testers/groups/schema.ts';
import { organizationsPath } from '../../shell/me.ts';

/** Path of all groups beside this one. */
export function groupsPath({ organization_id: organizationId }: Pick<TesterGroup, 'organization_id'>): string {
  return `${organizationsPath}/${organizationId}/tester-groups`;
}
