// Authorization from the declaration of an operation. For the order of the checks see
// docs/specification/conventions.md#order-of-checks.
import { and, eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { Actor, Factors } from '../core/actor.ts';
import type { Context, OrganizationFacts, ProjectContext } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import { organizationMemberships, organizations, projectMemberships, projects } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import type { LockReason } from '../lib/lock-reasons.ts';
import {
  effectiveProjectRole,
  type OrganizationPermissionName,
  type OrganizationRole,
  organizationRoleAllows,
  permissions,
  projectRoleAllows,
  scopesCover,
} from '../permissions.ts';
import type { Access, Location, OrganizationAccess, ProjectAccess } from './operation.ts';
import { checkDownloadLock, checkWriteLock } from './organization-lock.ts';
import { findLocation, type RawQuery } from './tenant.ts';

type MemberActor = Extract<Actor, { kind: 'developer' | 'personal_access_token' }>;

interface Policy {
  lockReason: LockReason | null;
  lockAdvancesAt: number | null;
  mfaRequiredAt: number | null;
  mfaGracePeriodDays: number;
  mfaPasskeySatisfies: boolean;
  allowsEmailSignIn: boolean;
}

const policyColumns = {
  lockReason: organizations.lockReason,
  lockAdvancesAt: organizations.lockAdvancesAt,
  mfaRequiredAt: organizations.mfaRequiredAt,
  mfaGracePeriodDays: organizations.mfaGracePeriodDays,
  mfaPasskeySatisfies: organizations.mfaPasskeySatisfies,
  allowsEmailSignIn: organizations.allowsEmailSignIn,
};

const findOrganization = prepared((db) =>
  db
    .select({
      id: organizations.id,
      ...policyColumns,
      role: organizationMemberships.role,
      memberSince: organizationMemberships.createdAt,
    })
    .from(organizations)
    .leftJoin(
      organizationMemberships,
      and(
        eq(organizationMemberships.organizationId, organizations.id),
        eq(organizationMemberships.developerId, placeholder('developerId')),
      ),
    )
    .where(eq(organizations.id, placeholder('organizationId')))
    .prepare(),
);

const findProject = prepared((db) =>
  db
    .select({
      id: projects.id,
      organizationId: projects.organizationId,
      platform: projects.platform,
      ...policyColumns,
      organizationRole: organizationMemberships.role,
      memberSince: organizationMemberships.createdAt,
      projectRole: projectMemberships.role,
    })
    .from(projects)
    .innerJoin(organizations, eq(organizations.id, projects.organizationId))
    .leftJoin(
      organizationMemberships,
      and(
        eq(organizationMemberships.organizationId, projects.organizationId),
        eq(organizationMemberships.developerId, placeholder('developerId')),
      ),
    )
    .leftJoin(
      projectMemberships,
      and(
        eq(projectMemberships.projectId, projects.id),
        eq(projectMemberships.developerId, placeholder('developerId')),
      ),
    )
    .where(eq(projects.id, placeholder('projectId')))
    .prepare(),
);

/** Checks the kind of credential and the verified email address, before the rest of the request is read. */
export function checkCredential(access: Exclude<Access, { kind: 'anonymous' }>, ctx: Context): void {
  const { actor } = ctx;
  if (access.isInteractive === true && actor.kind !== 'developer') {
    throw new AppError('permission_denied', "This requires an interactive sign-in; tokens aren't accepted");
  }
  if (access.kind === 'developer' && actor.kind === 'project_access_token' && access.admitsProjectToken !== true) {
    throw new AppError('permission_denied', 'A project access token only works in its project');
  }
  const isWrite = ctx.request.method !== 'GET' && ctx.request.method !== 'HEAD';
  const handsOutBytes = access.kind === 'project' && access.isDownload === true;
  const allowsUnverified = access.kind === 'developer' && access.allowsUnverified === true;
  if ((isWrite || handsOutBytes) && !allowsUnverified && 'mayWrite' in actor && !actor.mayWrite) {
    throw new AppError('email_not_verified');
  }
  if (access.kind === 'developer' && actor.kind === 'personal_access_token' && !scopesCover(actor.scopes, 'read')) {
    throw new AppError('permission_denied', 'The token lacks the scope read');
  }
}

/**
 * Finds the tenant and authorizes the actor. Returns the tenant's part of the context. Throws `not_found` if the actor may not
 * see the resource, otherwise the first error in the order above.
 */
export function authorize(
  access: OrganizationAccess | ProjectAccess,
  ctx: Context,
  params: Record<string, unknown>,
  query: RawQuery,
): Omit<ProjectContext, keyof Context> | { organization: OrganizationFacts } {
  const location = findLocation(access.tenant, ctx, params, query);
  return access.kind === 'project'
    ? authorizeProject(access, ctx, location)
    : authorizeOrganization(access, ctx, location.organizationId, params);
}

function authorizeProject(
  access: ProjectAccess,
  ctx: Context,
  location: Location,
): Omit<ProjectContext, keyof Context> {
  const { actor } = ctx;
  const needed = permissions[access.permission];
  const asked = { projectId: location.projectId ?? '', developerId: memberId(actor) };
  const row = rowCacheOf(ctx).getOrRead(
    findProject,
    asked.projectId,
    () => findProject(ctx).get(asked),
    asked.developerId,
  );
  if (row === undefined || row.organizationId !== location.organizationId) throw notFound();
  const project = { id: row.id, platform: row.platform };

  if (actor.kind === 'project_access_token') {
    if (actor.projectId !== row.id) throw notFound();
    if (!projectRoleAllows(actor.role, access.permission)) throw tokenLacks(`role ${needed.role}`);
    checkLock(access, ctx, row);
    return { organization: { id: row.organizationId, role: undefined }, project: { ...project, role: actor.role } };
  }
  const member = asMember(actor, row.organizationId);
  const role = effectiveProjectRole(row.organizationRole ?? undefined, row.projectRole ?? undefined);
  if (role === undefined) throw notFound();
  checkScope(member, needed.scope);
  if (!projectRoleAllows(role, access.permission)) {
    throw member.kind === 'developer' ? notFound() : tokenLacks(`role ${needed.role}`);
  }
  checkSignInMethod(actor, row);
  checkSecondFactor(ctx, member.factors, row, row.memberSince ?? 0);
  checkLock(access, ctx, row);
  return {
    organization: { id: row.organizationId, role: row.organizationRole ?? undefined },
    project: { ...project, role },
  };
}

function authorizeOrganization(
  access: OrganizationAccess,
  ctx: Context,
  organizationId: string,
  params: Record<string, unknown>,
): { organization: { id: string; role: OrganizationRole | undefined } } {
  const { actor } = ctx;
  const permission = permissionFor(access, actor, params);
  const needed = permissions[permission];
  const asked = { organizationId, developerId: memberId(actor) };
  const row = rowCacheOf(ctx).getOrRead(
    findOrganization,
    organizationId,
    () => findOrganization(ctx).get(asked),
    asked.developerId,
  );
  if (row === undefined) throw notFound();

  if (actor.kind === 'project_access_token') {
    if (actor.organizationId !== row.id) throw notFound();
    if (!('projectToken' in needed)) throw tokenLacks('access outside its project');
    checkLock(access, ctx, row);
    return { organization: { id: row.id, role: undefined } };
  }
  const member = asMember(actor, row.id);
  if (row.role === null) throw notFound();
  checkScope(member, needed.scope);
  if (!organizationRoleAllows(row.role, permission)) throw new AppError('insufficient_role');
  checkSignInMethod(actor, row);
  checkSecondFactor(ctx, member.factors, row, row.memberSince ?? 0);
  checkLock(access, ctx, row);
  return { organization: { id: row.id, role: row.role } };
}

/** Returns the permission that a request needs. */
function permissionFor(
  { permission, ofOneself }: OrganizationAccess,
  actor: Actor,
  params: Record<string, unknown>,
): OrganizationPermissionName {
  return ofOneself !== undefined && params[ofOneself.parameter] === memberId(actor) ? ofOneself.permission : permission;
}

function memberId(actor: Actor): string {
  if (actor.kind === 'developer') return actor.id;
  return actor.kind === 'personal_access_token' ? actor.developerId : '';
}

/** Returns the member behind an actor. Throws `not_found` for a token bound to another organization. */
function asMember(actor: Actor, organizationId: string): MemberActor {
  if (actor.kind === 'developer') return actor;
  if (actor.kind === 'personal_access_token' && actor.organizationId === organizationId) return actor;
  throw notFound();
}

function checkScope(member: MemberActor, needed: Parameters<typeof scopesCover>[1]): void {
  if (member.kind === 'personal_access_token' && !scopesCover(member.scopes, needed)) {
    throw tokenLacks(`scope ${needed}`);
  }
}

function tokenLacks(lacking: string): AppError {
  return new AppError('permission_denied', `The token lacks the ${lacking}`);
}

/**
 * Rejects a session that began with an emailed code or link in an organization that doesn't allow it. For members, and for the
 * paths of testers.
 */
export function checkSignInMethod(actor: Actor, { allowsEmailSignIn }: { allowsEmailSignIn: boolean }): void {
  if (allowsEmailSignIn || actor.kind !== 'developer' || !actor.isByEmail) return;
  throw new AppError(
    'permission_denied',
    "This organization doesn't allow signing in by email. Sign in with a password, a passkey or single sign-on",
    { reason: 'email_sign_in_not_allowed' },
  );
}

/** After the grace period, members without two-factor authentication are rejected. */
function checkSecondFactor({ clock }: Context, factors: Factors, policy: Policy, memberSince: number): void {
  if (policy.mfaRequiredAt === null) return;
  if (factors.hasTotp || (policy.mfaPasskeySatisfies && factors.hasPasskey)) return;
  const graceEnds = Math.max(policy.mfaRequiredAt, memberSince) + policy.mfaGracePeriodDays * DAY;
  if (clock.time() < graceEnds) return;
  throw new AppError('mfa_enrollment_required', undefined, { passkey_satisfies: policy.mfaPasskeySatisfies });
}

/** A lock rejects writes and new download links; a suspended organization can still serve downloads. */
function checkLock(access: OrganizationAccess | ProjectAccess, ctx: Context, policy: Policy): void {
  const isDownload = access.kind === 'project' && access.isDownload === true;
  const isRead = ctx.request.method === 'GET' || ctx.request.method === 'HEAD';
  if (isDownload) checkDownloadLock(ctx, policy);
  else if (!isRead && !('isLockExempt' in access && access.isLockExempt === true)) checkWriteLock(ctx, policy);
}
