// Projects of one app: its iOS project and its Android project are siblings (docs/specification/organizations.md#siblings).
// What a caller learns about a sibling depends on their access to it: for one they can't access, the project looks unlinked.

import { developerIdOf } from '../core/actor.ts';
import type { OrganizationContext, ProjectContext, Tx } from '../core/context.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { effectiveProjectRole, type ProjectRole, projectRoleAllows } from '../permissions.ts';
import { platformFacts } from '../platforms.ts';
import type { ProjectSibling } from './schema.ts';
import { findMembershipRole, listSiblingRows, type SiblingRow, setApp } from './sibling-store.ts';
import { findProject, loadProject, type ProjectRow } from './store.ts';

type Named = Pick<ProjectRow, 'id' | 'name' | 'platform'>;

const toSibling = ({ id, name, platform }: Named): ProjectSibling => ({ identifier: id, name, platform });

/** Returns the siblings of a project that the caller can access. */
export function listSiblings(ctx: OrganizationContext, row: Pick<ProjectRow, 'id' | 'appId'>): ProjectSibling[] {
  return listSiblingRows(ctx, row, developerIdOf(ctx.actor))
    .filter((sibling) => roleIn(ctx, sibling) !== undefined)
    .map(toSibling);
}

/** Returns the caller's role in a sibling. Project access tokens only have access to their own project. */
function roleIn(ctx: OrganizationContext, { membershipRole }: Pick<SiblingRow, 'membershipRole'>) {
  return effectiveProjectRole(ctx.organization.role, membershipRole ?? undefined);
}

/** Links the project of the request with another one. Throws like `linkProjects`. Nothing is recorded if they are linked. */
export function linkSibling(ctx: ProjectContext, siblingId: string): ProjectRow {
  return ctx.transact((tx) => linkProjects(ctx, tx, loadProject(tx, ctx.project.id), siblingId));
}

/**
 * Makes two projects siblings. The caller must be an admin of both; for any other project, throws `not_found`. Throws
 * `operation_not_allowed` for the same platform, and `already_exists` if one of them has a sibling that would have to leave. A
 * sibling that the caller can't access leaves, because a refusal would show that it exists. Returns the changed row.
 */
export function linkProjects(ctx: OrganizationContext, tx: Tx, row: ProjectRow, siblingId: string): ProjectRow {
  const other = loadAdministered(ctx, tx, row.organizationId, siblingId);
  if (other.platform === row.platform) {
    const message = `\`sibling_project_id\` must be a project for another platform than ${platformFacts[row.platform].name}`;
    throw new AppError('operation_not_allowed', message);
  }
  if (row.appId !== null && row.appId === other.appId) return row;
  const taken = new Set([row.platform, other.platform]);
  const kept: SiblingRow[] = [];
  for (const project of [row, other]) {
    for (const sibling of listSiblingRows(tx, project, developerIdOf(ctx.actor))) {
      if (taken.has(sibling.platform)) makeLeave(ctx, tx, sibling, project);
      else kept.push(sibling);
      taken.add(sibling.platform);
    }
  }
  const appId = tx.ids.next();
  for (const { id } of [row, other, ...kept]) setApp(tx, id, appId);
  recordLink(tx, 'project.linked', row, [other], { organizationId: row.organizationId, isHidden: false });
  return { ...row, appId };
}

function loadAdministered(ctx: OrganizationContext, tx: Tx, organizationId: string, id: string): ProjectRow {
  const row = findProject(tx, id);
  const membershipRole = row && (findMembershipRole(tx, row.id, developerIdOf(ctx.actor)) ?? null);
  const role: ProjectRole | undefined = membershipRole === undefined ? undefined : roleIn(ctx, { membershipRole });
  if (row?.organizationId !== organizationId || role === undefined || !projectRoleAllows(role, 'project.edit')) {
    throw notFound();
  }
  return row;
}

function makeLeave(ctx: OrganizationContext, tx: Tx, sibling: SiblingRow, from: ProjectRow): void {
  if (roleIn(ctx, sibling) !== undefined) {
    const { name, platform } = sibling;
    const message = `${from.name} is already linked with ${name} for ${platformFacts[platform].name}. Unlink it first`;
    throw new AppError('already_exists', message, { linked_project_id: sibling.id });
  }
  setApp(tx, sibling.id, null);
  recordLink(tx, 'project.unlinked', sibling, [from], { organizationId: from.organizationId, isHidden: true });
}

/** Ends the link of the project of the request with its siblings. They stay linked with each other. */
export function unlinkSibling(ctx: ProjectContext): void {
  ctx.transact((tx) => {
    const row = loadProject(tx, ctx.project.id);
    const siblings = listSiblingRows(tx, row, developerIdOf(ctx.actor));
    if (siblings.length === 0) return;
    leaveApp(tx, row, siblings);
    const isHidden = siblings.some((sibling) => roleIn(ctx, sibling) === undefined);
    recordLink(tx, 'project.unlinked', row, siblings, { organizationId: row.organizationId, isHidden });
  });
}

/** Takes a project out of its app. A single sibling that is left leaves it too. */
export function leaveApp(tx: Tx, { id, appId }: ProjectRow, siblings = listSiblingRows(tx, { id, appId }, null)): void {
  const [last, ...others] = siblings;
  if (last === undefined) return;
  setApp(tx, id, null);
  if (others.length === 0) setApp(tx, last.id, null);
}

/** `isHidden`: it names a project that the caller can't access, so it isn't in their own trail. */
function recordLink(
  tx: Tx,
  event: 'project.linked' | 'project.unlinked',
  { id, name, platform }: Named,
  siblings: readonly Named[],
  { organizationId, isHidden }: { organizationId: string; isHidden: boolean },
): void {
  tx.record(event, {
    identifier: id,
    organizationId,
    projectId: id,
    ...(isHidden ? { developerId: null } : {}),
    details: { name, platform, siblings: siblings.map(toSibling) },
  });
}
