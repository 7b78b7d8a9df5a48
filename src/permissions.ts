// Permissions: the required organization role, project role and token scope, in one table.

/**
 * What a role includes: other roles with all their permissions, and single permissions. Roles don't have to form a
 * hierarchy.
 */
interface RoleFacts {
  includes: readonly string[];
  grants?: readonly string[];
}

const organizationRoleFacts = {
  member: { includes: [] },
  manager: { includes: ['member'] },
  admin: { includes: ['member', 'manager'] },
} as const satisfies Record<string, RoleFacts>;
export type OrganizationRole = keyof typeof organizationRoleFacts;
export const organizationRoles = Object.keys(organizationRoleFacts) as [OrganizationRole, ...OrganizationRole[]];

const projectRoleFacts = {
  read: { includes: [] },
  read_download: { includes: ['read'] },
  read_download_upload: { includes: ['read', 'read_download'] },
  maintainer: { includes: ['read', 'read_download', 'read_download_upload'] },
  admin: { includes: ['read', 'read_download', 'read_download_upload', 'maintainer'] },
} as const satisfies Record<string, RoleFacts>;
export type ProjectRole = keyof typeof projectRoleFacts;
export const projectRoles = Object.keys(projectRoleFacts) as [ProjectRole, ...ProjectRole[]];

/** Scope bits of a personal access token (docs/specification/permissions.md#scopes). */
export const scopes = {
  read: 1n,
  upload_build: 2n,
  revoke_build: 4n,
  manage_releases: 8n,
  manage_testers: 16n,
  edit_project: 32n,
} as const;
export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as readonly Scope[];

/** The sentinel for all current and future scopes; not the sum of the bits. */
export const ALL_SCOPES = 9223372036854775807n;

interface OrganizationPermission {
  level: 'organization';
  scope: Scope | 'ALL';
  role: OrganizationRole;
  /** Whether project access tokens are allowed in their own organization. They only see their own project. */
  projectToken?: true;
}

interface ProjectPermission {
  level: 'project';
  scope: Scope | 'ALL';
  role: ProjectRole;
}

export const permissions = {
  'organization.read': { level: 'organization', scope: 'read', role: 'member' },
  'organization.edit': { level: 'organization', scope: 'ALL', role: 'admin' },
  'organization.delete': { level: 'organization', scope: 'ALL', role: 'admin' },
  'billing.read': { level: 'organization', scope: 'read', role: 'admin' },
  'billing.manage': { level: 'organization', scope: 'ALL', role: 'admin' },
  'organization.list_members': { level: 'organization', scope: 'read', role: 'member' },
  'organization.list_projects': { level: 'organization', scope: 'read', role: 'member', projectToken: true },
  /** Lists the projects that the caller can access. */
  'organization.list_expiring': { level: 'organization', scope: 'read', role: 'member', projectToken: true },
  'organization.create_project': { level: 'organization', scope: 'ALL', role: 'manager' },
  'organization.manage_members': { level: 'organization', scope: 'ALL', role: 'manager' },
  'organization.manage_sso': { level: 'organization', scope: 'ALL', role: 'admin' },
  'organization.manage_storage': { level: 'organization', scope: 'ALL', role: 'admin' },
  /**
   * The scope read covers the lists of testers; groups require ALL even for reading (docs/specification/permissions.md#scopes).
   */
  'organization_tester.list': { level: 'organization', scope: 'read', role: 'manager' },
  'organization_tester.manage': { level: 'organization', scope: 'ALL', role: 'manager' },
  'tester_group.manage': { level: 'organization', scope: 'ALL', role: 'manager' },
  'audit.read': { level: 'organization', scope: 'read', role: 'admin' },
  'mfa_policy.read': { level: 'organization', scope: 'read', role: 'admin' },
  'mfa_policy.edit': { level: 'organization', scope: 'ALL', role: 'admin' },
  'organization.leave': { level: 'organization', scope: 'ALL', role: 'member' },
  'webhook.manage': { level: 'organization', scope: 'ALL', role: 'manager' },
  'store_connection.read': { level: 'organization', scope: 'read', role: 'manager' },
  'store_connection.manage': { level: 'organization', scope: 'ALL', role: 'manager' },
  'device.read': { level: 'organization', scope: 'read', role: 'member' },
  'device.enroll': { level: 'organization', scope: 'ALL', role: 'member' },
  'device.manage': { level: 'organization', scope: 'ALL', role: 'manager' },
  /** The export of all device identifiers is for people who register them with Apple. */
  'device.export': { level: 'organization', scope: 'read', role: 'manager' },
  'personal_token.manage': { level: 'organization', scope: 'ALL', role: 'member' },
  'personal_token.manage_all': { level: 'organization', scope: 'ALL', role: 'admin' },
  'project.read': { level: 'project', scope: 'read', role: 'read' },
  'project.edit': { level: 'project', scope: 'ALL', role: 'admin' },
  'project.delete': { level: 'project', scope: 'ALL', role: 'admin' },
  'project.edit_icon': { level: 'project', scope: 'ALL', role: 'maintainer' },
  'project.manage_members': { level: 'project', scope: 'ALL', role: 'admin' },
  'project.take_over_token': { level: 'project', scope: 'ALL', role: 'admin' },
  'project.manage_tokens': { level: 'project', scope: 'ALL', role: 'maintainer' },
  'build.read': { level: 'project', scope: 'read', role: 'read' },
  'build.download': { level: 'project', scope: 'read', role: 'read_download' },
  'build.upload': { level: 'project', scope: 'upload_build', role: 'read_download_upload' },
  'build.revoke': { level: 'project', scope: 'revoke_build', role: 'maintainer' },
  'build.pin': { level: 'project', scope: 'edit_project', role: 'maintainer' },
  'build.delete': { level: 'project', scope: 'ALL', role: 'admin' },
  'channel.read': { level: 'project', scope: 'read', role: 'read' },
  'channel.edit': { level: 'project', scope: 'edit_project', role: 'maintainer' },
  'project_tester.list': { level: 'project', scope: 'read', role: 'maintainer' },
  'project_tester.manage': { level: 'project', scope: 'ALL', role: 'maintainer' },
  'channel_tester.list': { level: 'project', scope: 'read', role: 'read' },
  'channel_tester.manage': { level: 'project', scope: 'ALL', role: 'maintainer' },
  'channel_invitation.list': { level: 'project', scope: 'read', role: 'read' },
  'channel_invitation.manage': { level: 'project', scope: 'manage_testers', role: 'maintainer' },
  'release.read': { level: 'project', scope: 'read', role: 'read' },
  'release.manage': { level: 'project', scope: 'manage_releases', role: 'maintainer' },
  'share_link.list': { level: 'project', scope: 'read', role: 'read' },
  'share_link.manage': { level: 'project', scope: 'manage_testers', role: 'maintainer' },
  'feedback.read': { level: 'project', scope: 'read', role: 'read' },
  'feedback.manage': { level: 'project', scope: 'manage_testers', role: 'maintainer' },
  'publish.read': { level: 'project', scope: 'read', role: 'read' },
  'publish.request': { level: 'project', scope: 'ALL', role: 'maintainer' },
  'sdk_app.read': { level: 'project', scope: 'read', role: 'read' },
  'sdk_app.manage': { level: 'project', scope: 'ALL', role: 'maintainer' },
} as const satisfies Record<string, OrganizationPermission | ProjectPermission>;

type Permission = keyof typeof permissions;
export type OrganizationPermissionName = {
  [Name in Permission]: (typeof permissions)[Name]['level'] extends 'organization' ? Name : never;
}[Permission];
export type ProjectPermissionName = Exclude<Permission, OrganizationPermissionName>;

function isOrganizationPermission(name: Permission): name is OrganizationPermissionName {
  return permissions[name].level === 'organization';
}

function reaches(facts: RoleFacts, role: string, needed: string): boolean {
  return role === needed || facts.includes.includes(needed);
}

/** Whether an organization role is another one or includes it (admin includes manager, manager includes member). */
export function organizationRoleReaches(role: OrganizationRole, needed: OrganizationRole): boolean {
  return reaches(organizationRoleFacts[role], role, needed);
}

/** Whether a project role is another one or includes it. */
export function projectRoleReaches(role: ProjectRole, needed: ProjectRole): boolean {
  return reaches(projectRoleFacts[role], role, needed);
}

/** Whether an organization role has a permission. */
export function organizationRoleAllows(role: OrganizationRole, permission: OrganizationPermissionName): boolean {
  const facts: RoleFacts = organizationRoleFacts[role];
  return reaches(facts, role, permissions[permission].role) || facts.grants?.includes(permission) === true;
}

/** Whether a project role has a permission. */
export function projectRoleAllows(role: ProjectRole, permission: ProjectPermissionName): boolean {
  const facts: RoleFacts = projectRoleFacts[role];
  return reaches(facts, role, permissions[permission].role) || facts.grants?.includes(permission) === true;
}

/** Returns the lower of two project roles, or undefined if neither includes the other: then nothing is allowed by both. */
export function lowerProjectRole(one: ProjectRole, other: ProjectRole): ProjectRole | undefined {
  if (projectRoleReaches(one, other)) return other;
  return projectRoleReaches(other, one) ? one : undefined;
}

/** Whether a token's scope bits include a scope. */
export function scopesCover(held: bigint, needed: Scope | 'ALL'): boolean {
  if (held === ALL_SCOPES) return true;
  return needed !== 'ALL' && (held & scopes[needed]) !== 0n;
}

/** Returns the scopes whose bits are set; all scopes for ALL. */
export function scopesIn(bits: bigint): Scope[] {
  return scopeNames.filter((scope) => (bits & scopes[scope]) !== 0n);
}

/** Whether a number is a sum of scope bits, including 0, or exactly ALL. */
export function isScopeSum(bits: bigint): boolean {
  return bits === ALL_SCOPES || (bits >= 0n && sumScopes(scopesIn(bits)) === bits);
}

/** Returns the sum of the bits of some scopes. */
function sumScopes(names: readonly Scope[]): bigint {
  return names.reduce((sum, scope) => sum | scopes[scope], 0n);
}

/**
 * Returns the maximum scopes of a developer's tokens in an organization: a scope is included if the developer's roles allow any
 * of its permissions in the organization or any project; ALL if every scope is included. `projectRole` is the highest one.
 */
export function scopeCeiling(organizationRole: OrganizationRole, projectRole: ProjectRole | undefined): bigint {
  const held = scopeNames.filter((scope) =>
    (Object.keys(permissions) as Permission[]).some((name) => {
      if (permissions[name].scope !== scope) return false;
      if (isOrganizationPermission(name)) return organizationRoleAllows(organizationRole, name);
      return projectRole !== undefined && projectRoleAllows(projectRole, name);
    }),
  );
  return held.length === scopeNames.length ? ALL_SCOPES : sumScopes(held);
}

/**
 * Returns the project role of a member: managers and admins of the organization have `admin` in every project
 * (docs/specification/permissions.md), other members have the role of their project membership.
 */
export function effectiveProjectRole(
  organizationRole: OrganizationRole | undefined,
  membershipRole: ProjectRole | undefined,
): ProjectRole | undefined {
  if (organizationRole === undefined) return undefined;
  return organizationRoleReaches(organizationRole, 'manager') ? 'admin' : membershipRole;
}
