// The rules of projects.

import { developerIdOf } from '../core/actor.ts';
import type { Context, OrganizationContext, ProjectContext, Tx } from '../core/context.ts';
import { queueObjectDeletion } from '../core/object-deletion.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { removeRow } from '../core/removal.ts';
import type { Reply } from '../http/reply.ts';
import { type ImageColumns, imageUrl, readImage, storeImage } from '../images/service.ts';
import type { Inspection } from '../inspection/schema.ts';
import { DAY, timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { organizationRoleReaches, type ProjectRole } from '../permissions.ts';
import type { Platform } from '../platforms.ts';
import { MAX_COUNTED } from './contents-limit.ts';
import {
  MAX_NAME_LENGTH,
  type Project,
  type ProjectChange,
  type ProjectContents,
  type ProjectInput,
  projectInput,
} from './schema.ts';
import { leaveApp, linkProjects, linkSibling, listSiblings } from './siblings.ts';
import {
  countContents,
  countProjects,
  findProjectNamed,
  findProjectOfApp,
  hasBuilds,
  hasBuildsOrUploads,
  insertProject,
  type ListedProject,
  listAbandonedDrafts,
  listAllProjects,
  listJoinedProjects,
  loadProject,
  type ProjectRow,
  updateProject,
} from './store.ts';

/** How long a draft without a build is kept at least. */
const DRAFT_LIFETIME_MS = DAY;

/** Converts a project to its API shape. `role` is the caller's. */
export function toProject(ctx: OrganizationContext, row: ProjectRow, role: ProjectRole): Project {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    name: row.name,
    platform: row.platform,
    description: row.description,
    bundle_identifier: row.bundleIdentifier,
    size_budget_bytes: row.sizeBudgetBytes,
    has_icon: row.iconKey !== null,
    icon_url: imageUrl(ctx, `/projects/${row.id}/icon`, row),
    created_at: timestamp(row.createdAt),
    role,
    siblings: listSiblings(ctx, row),
  };
}

/**
 * Creates a project. Throws `quota_exceeded` at the organization's limit and `already_exists` if
 * its name is taken on that platform. With `sibling_project_id`, throws like `linkProjects`.
 */
export function createProject(ctx: OrganizationContext, input: ProjectInput): Project {
  return ctx.transact((tx) => {
    const organizationId = ctx.organization.id;
    requireRoom(tx, organizationId);
    const { name, platform } = input;
    requireFreeName(tx, { organizationId, platform, name });
    const row = addProject(tx, organizationId, input);
    const { sibling_project_id: siblingId } = input;
    const linked = typeof siblingId === 'string' ? linkProjects(ctx, tx, row, siblingId) : row;
    // Only managers and admins of the organization create projects, and they are admins of all projects.
    return toProject(ctx, linked, 'admin');
  });
}

/**
 * Creates a draft for the app of a package that will be uploaded. A name that is taken gets a number. Throws
 * `already_exists` with the id of the project that has the app's builds, and `quota_exceeded`.
 */
export function createDraft(
  ctx: OrganizationContext,
  tx: Tx,
  { platform, name, bundleIdentifier }: { platform: Platform; name: string; bundleIdentifier: string | null },
): Project {
  const organizationId = ctx.organization.id;
  const existing = findProjectOfApp(tx, { organizationId, platform, bundleIdentifier });
  if (existing !== undefined) {
    throw new AppError('already_exists', `The organization already has a project for ${bundleIdentifier}`, {
      project_id: existing.id,
    });
  }
  requireRoom(tx, organizationId);
  const input = {
    platform,
    name: findFreeName(tx, { organizationId, platform, name }),
    bundle_identifier: bundleIdentifier,
  };
  return toProject(ctx, addProject(tx, organizationId, input, true), 'admin');
}

function requireRoom(tx: Tx, organizationId: string): void {
  const max = tx.config.limits.projects_per_organization;
  if (countProjects(tx, organizationId) < max) return;
  throw new AppError('quota_exceeded', `An organization can have at most ${max} projects`, { limit: max });
}

function addProject(tx: Tx, organizationId: string, input: ProjectInput, isDraft = false): ProjectRow {
  const { name, platform } = input;
  const row: ProjectRow = {
    id: tx.ids.next(),
    organizationId,
    name,
    platform,
    description: input.description ?? null,
    bundleIdentifier: input.bundle_identifier ?? null,
    sizeBudgetBytes: null,
    createdBy: developerIdOf(tx.actor),
    createdAt: tx.now,
    iconKey: null,
    iconType: null,
    appId: null,
    isDraft,
  };
  insertProject(tx, row);
  tx.record('project.created', {
    identifier: row.id,
    organizationId,
    projectId: row.id,
    details: { name, platform },
  });
  return row;
}

/** Returns the name, with a number if another project of the platform has it. The limit of projects bounds the search. */
function findFreeName(
  tx: Tx,
  wanted: Pick<ProjectRow, 'organizationId' | 'platform' | 'name'>,
  ownId?: string,
): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : ` ${number}`;
    const name = `${cut(wanted.name, MAX_NAME_LENGTH - end.length)}${end}`;
    const taken = findProjectNamed(tx, { ...wanted, name });
    if (taken === undefined || taken === ownId) return name;
  }
}

/** Cuts between characters, not within one. */
function cut(text: string, length: number): string {
  return text
    .slice(0, length)
    .toWellFormed()
    .replace(/\ufffd$/u, '')
    .trim();
}

function requireFreeName(ctx: Context, wanted: Pick<ProjectRow, 'organizationId' | 'platform' | 'name'>): void {
  if (findProjectNamed(ctx, wanted) === undefined) return;
  throw new AppError('already_exists', `The organization already has a project with this name for ${wanted.platform}`);
}

/**
 * Returns the projects the caller can access: all for managers, the joined ones for members, its own for a project
 * access token.
 */
export function listProjects(ctx: OrganizationContext, request: PageRequest): Page<Project> {
  return readPage(
    ctx,
    request,
    (before, limit) => listReachable(ctx, before, limit),
    (row) => toProject(ctx, row, row.role),
  );
}

/** Returns those with ids below `before`, newest first. */
export function listReachable(ctx: OrganizationContext, before: string, limit: number): ListedProject[] {
  const { actor, organization } = ctx;
  if (actor.kind === 'project_access_token') {
    const row = loadProject(ctx, actor.projectId);
    return row.id < before ? [{ ...row, role: actor.role }] : [];
  }
  const slice = { organizationId: organization.id, before, limit };
  if (organization.role !== undefined && organizationRoleReaches(organization.role, 'manager')) {
    return listAllProjects(ctx, slice).map((row) => ({ ...row, role: 'admin' }));
  }
  return listJoinedProjects(ctx, { ...slice, developerId: developerIdOf(actor) ?? '' });
}

/** Returns the project of the request. */
export function readProject(ctx: ProjectContext): Project {
  return toProject(ctx, loadProject(ctx, ctx.project.id), ctx.project.role);
}

/** Links the project of the request with another one. Throws like `linkProjects`. */
export function setSibling(ctx: ProjectContext, siblingId: string): Project {
  return toProject(ctx, linkSibling(ctx, siblingId), ctx.project.role);
}

/** Returns the number of items that would be deleted with the project. */
export function readContents(ctx: ProjectContext): ProjectContents {
  loadProject(ctx, ctx.project.id);
  return countContents(ctx, ctx.project.id, MAX_COUNTED);
}

/**
 * Changes name, description, bundle identifier or size budget. Null clears all but the name. Nothing is recorded if nothing changes.
 */
export function changeProject(ctx: ProjectContext, change: ProjectChange): Project {
  return ctx.transact((tx) => {
    const row = loadProject(tx, ctx.project.id);
    const wanted = {
      name: change.name ?? row.name,
      description: change.description === undefined ? row.description : change.description,
      bundleIdentifier: change.bundle_identifier === undefined ? row.bundleIdentifier : change.bundle_identifier,
      sizeBudgetBytes: change.size_budget_bytes === undefined ? row.sizeBudgetBytes : change.size_budget_bytes,
    };
    const changed: Changes = {};
    if (wanted.name !== row.name) changed.name = { from: row.name, to: wanted.name };
    if (wanted.description !== row.description) changed.description = { from: row.description, to: wanted.description };
    if (wanted.bundleIdentifier !== row.bundleIdentifier) {
      changed.bundle_identifier = { from: row.bundleIdentifier, to: wanted.bundleIdentifier };
    }
    if (wanted.sizeBudgetBytes !== row.sizeBudgetBytes) {
      changed.size_budget_bytes = { from: row.sizeBudgetBytes, to: wanted.sizeBudgetBytes };
    }
    if (Object.keys(changed).length === 0) return toProject(ctx, row, ctx.project.role);
    // A project that someone names is no longer a draft: its first build keeps the name.
    if (wanted.name !== row.name) requireFreeName(tx, { ...row, name: wanted.name });
    updateProject(tx, row.id, { ...wanted, isDraft: false });
    recordEdit(tx, row, changed);
    return toProject(ctx, { ...row, ...wanted }, ctx.project.role);
  });
}

/**
 * Sets the project's bundle identifier to that of its first build: builds of other apps are marked later, and clients
 * ask before uploading one. An existing identifier isn't changed. A draft also gets the name of the app, and is one no
 * longer.
 */
export function adoptFirstBuild(
  tx: Tx,
  projectId: string,
  { bundle_identifier: identifier, application_name: appName }: FirstBuild,
): void {
  const row = loadProject(tx, projectId);
  if (!row.isDraft && row.bundleIdentifier !== null) return;
  const bundleIdentifier = row.isDraft ? identifier : (row.bundleIdentifier ?? identifier);
  const name = row.isDraft ? findFreeName(tx, { ...row, name: readAppName(appName) ?? row.name }, row.id) : row.name;
  updateProject(tx, projectId, { bundleIdentifier, name, isDraft: false });
  const changed: Changes = {};
  if (name !== row.name) changed.name = { from: row.name, to: name };
  if (bundleIdentifier !== row.bundleIdentifier) {
    changed.bundle_identifier = { from: row.bundleIdentifier, to: bundleIdentifier };
  }
  if (Object.keys(changed).length > 0) recordEdit(tx, row, changed);
}

type FirstBuild = Pick<Inspection, 'bundle_identifier' | 'application_name'>;

/** Returns the name of an app as a project can have it. Packages contain any text. */
function readAppName(name: string | null): string | undefined {
  const parsed = projectInput.shape.name.safeParse(cut(name ?? '', MAX_NAME_LENGTH));
  return parsed.success ? parsed.data : undefined;
}

/**
 * Deletes a project with its channels and tokens. A draft takes its pending uploads with it. With `isForced` builds, releases and pending uploads are deleted
 * and recorded too. Otherwise throws `dependency_exists` if it has builds or pending uploads.
 */
export function removeProject(ctx: ProjectContext, isForced: boolean): void {
  ctx.transact(
    (tx) => {
      const row = loadProject(tx, ctx.project.id);
      const isInUse = row.isDraft ? hasBuilds(tx, row.id) : hasBuildsOrUploads(tx, row.id);
      if (!isForced && isInUse) {
        throw new AppError(
          'dependency_exists',
          'The project still has builds or pending uploads. Delete them first, or delete the project with force=true',
        );
      }
      removeProjectRow(tx, row);
    },
    { removes: true },
  );
}

function removeProjectRow(tx: Tx, row: ProjectRow): void {
  const { id, organizationId, name, platform, iconKey } = row;
  leaveApp(tx, row);
  removeRow(tx, 'projects', id);
  queueObjectDeletion(tx, [iconKey]);
  tx.record('project.deleted', { identifier: id, organizationId, projectId: id, details: { name, platform } });
}

/** Deletes up to `max` drafts that got no build for a day and have no pending upload. Returns the number deleted. */
export function deleteAbandonedDrafts(ctx: Context, max: number): number {
  return ctx.transact(
    (tx) => {
      const rows = listAbandonedDrafts(tx, tx.now - DRAFT_LIFETIME_MS, max);
      for (const row of rows) removeProjectRow(tx, row);
      return rows.length;
    },
    { removes: true },
  );
}

/** Stores the icon and replaces the previous one. Throws `invalid_input` unless it is a PNG, JPEG or WebP. */
export function setProjectIcon(ctx: ProjectContext, bytes: Buffer): Promise<Project> {
  return storeImage(ctx, bytes, ({ iconKey, iconType }) =>
    ctx.transact((tx) => exchangeIcon(ctx, tx, { iconKey, iconType })),
  );
}

/** Returns the icon as uploaded. Throws `not_found` if there is none. */
export function readProjectIcon(ctx: ProjectContext): Promise<Reply> {
  return readImage(ctx, loadProject(ctx, ctx.project.id));
}

/** Removes the icon. Throws `not_found` if there is none. */
export function removeProjectIcon(ctx: ProjectContext): void {
  ctx.transact((tx) => {
    if (loadProject(tx, ctx.project.id).iconKey === null) throw notFound();
    exchangeIcon(ctx, tx, { iconKey: null, iconType: null });
  });
}

function exchangeIcon(ctx: ProjectContext, tx: Tx, icon: ImageColumns): Project {
  const row = loadProject(tx, ctx.project.id);
  updateProject(tx, row.id, icon);
  queueObjectDeletion(tx, [row.iconKey]);
  recordEdit(tx, row, { icon: { from: row.iconType, to: icon.iconType } });
  return toProject(ctx, { ...row, ...icon }, ctx.project.role);
}

type Changes = Record<string, { from: unknown; to: unknown }>;

function recordEdit(tx: Tx, { id, organizationId }: ProjectRow, changed: Changes): void {
  tx.record('project.edited', { identifier: id, organizationId, projectId: id, details: { changed } });
}
