// The path of tester groups in the API.
import type { TesterGroup } from '../../../testers/groups/schema.ts';
import { organizationsPath } from '../../shell/current-user.ts';

/** Returns the path of the tester groups of a group's organization. */
export function groupsPath({ organization_id: organizationId }: Pick<TesterGroup, 'organization_id'>): string {
  return `${organizationsPath}/${organizationId}/tester-groups`;
}
