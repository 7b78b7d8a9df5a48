// Rules for the table of roles, for any roles that are added to it.
import { describe, expect, it } from 'vitest';
import {
  lowerProjectRole,
  type OrganizationPermissionName,
  organizationRoleAllows,
  organizationRoleReaches,
  organizationRoles,
  type ProjectPermissionName,
  permissions,
  projectRoleAllows,
  projectRoleReaches,
  projectRoles,
} from '../src/permissions.ts';

const names = Object.keys(permissions) as (keyof typeof permissions)[];

describe('a role', () => {
  it.each(organizationRoles)('%s of an organization includes the permissions of its included roles', (role) => {
    for (const included of organizationRoles.filter((other) => organizationRoleReaches(role, other))) {
      for (const further of organizationRoles.filter((other) => organizationRoleReaches(included, other)))
        expect([role, further, organizationRoleReaches(role, further)]).toEqual([role, further, true]);
      for (const name of names.filter(
        (one) => permissions[one].level === 'organization',
      ) as OrganizationPermissionName[])
        if (organizationRoleAllows(included, name))
          expect([name, organizationRoleAllows(role, name)]).toEqual([name, true]);
    }
  });

  it.each(projectRoles)('%s of a project includes the permissions of its included roles', (role) => {
    for (const included of projectRoles.filter((other) => projectRoleReaches(role, other))) {
      for (const further of projectRoles.filter((other) => projectRoleReaches(included, other)))
        expect([role, further, projectRoleReaches(role, further)]).toEqual([role, further, true]);
      for (const name of names.filter((one) => permissions[one].level === 'project') as ProjectPermissionName[])
        if (projectRoleAllows(included, name)) expect([name, projectRoleAllows(role, name)]).toEqual([name, true]);
    }
  });

  it('that limits another one never exceeds either', () => {
    for (const one of projectRoles) {
      for (const other of projectRoles) {
        const lower = lowerProjectRole(one, other);
        const isComparable = projectRoleReaches(one, other) || projectRoleReaches(other, one);
        expect([one, other, lower !== undefined]).toEqual([one, other, isComparable]);
        if (lower === undefined) continue;
        expect([projectRoleReaches(one, lower), projectRoleReaches(other, lower)]).toEqual([true, true]);
      }
    }
  });
});
