// The rules for tester groups and their grants.
import { findChannel } from '../../channels/store.ts';
import type { Context, OrganizationContext, Tx } from '../../core/context.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { removeRow } from '../../core/removal.ts';
import { timestamp } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/validation.ts';
import { loadProject } from '../../projects/store.ts';
import type { CreateGroup, EditGroup, GroupGrantBody, TesterGroup, TesterGroupGrant } from './schema.ts';
import * as store from './store.ts';

const toGroup = (row: store.ListedGroup): TesterGroup => ({
  identifier: row.id,
  organization_id: row.organizationId,
  name: row.name,
  notify_on_release: row.notifyOnRelease,
  member_count: row.members,
  grant_count: row.grants,
  created_at: timestamp(row.createdAt),
});

const toGroupGrant = (row: store.GroupGrantRow): TesterGroupGrant => ({
  identifier: row.id,
  group_id: row.groupId,
  organization_id: row.organizationId,
  project_id: row.projectId,
  channel_id: row.channelId,
  created_at: timestamp(row.createdAt),
});

function requireFreeName(tx: Tx, organizationId: string, name: string, but?: string): void {
  if (store.isGroupNameTaken(tx, organizationId, name, but)) {
    throw new AppError('already_exists', `The organization already has a tester group named ${name}`);
  }
}

/** Creates an empty group. Throws `already_exists` if the organization has one with that name. */
export function createGroup(ctx: OrganizationContext, { name, notify_on_release }: CreateGroup): TesterGroup {
  return ctx.transact((tx) => {
    const organizationId = ctx.organization.id;
    requireFreeName(tx, organizationId, name);
    const id = tx.ids.next();
    store.insertGroup(tx, { id, organizationId, name, notifyOnRelease: notify_on_release, createdAt: tx.now });
    tx.record('tester_group.created', { identifier: id, organizationId, details: { name, notify_on_release } });
    return toGroup(store.loadGroup(tx, organizationId, id));
  });
}

/** Returns a page of the organization's groups, newest first. */
export function listGroups(ctx: OrganizationContext, request: PageRequest): Page<TesterGroup> {
  return readPage(ctx, request, (before, limit) => store.listGroups(ctx, ctx.organization.id, before, limit), toGroup);
}

/** Returns a group of the organization. Throws `not_found`. */
export function readGroup(ctx: OrganizationContext, id: string): TesterGroup {
  return toGroup(store.loadGroup(ctx, ctx.organization.id, id));
}

/** Renames a group or changes its notifications. Nothing is recorded if nothing changes. */
export function editGroup(ctx: OrganizationContext, id: string, body: EditGroup): TesterGroup {
  return ctx.transact((tx) => {
    const row = store.loadGroup(tx, ctx.organization.id, id);
    const wanted = { name: body.name ?? row.name, notifyOnRelease: body.notify_on_release ?? row.notifyOnRelease };
    const fields = [
      ...(wanted.name === row.name ? [] : ['name']),
      ...(wanted.notifyOnRelease === row.notifyOnRelease ? [] : ['notify_on_release']),
    ];
    if (fields.length > 0) {
      requireFreeName(tx, row.organizationId, wanted.name, id);
      store.updateGroup(tx, id, wanted);
      const details = { fields, name: wanted.name, notify_on_release: wanted.notifyOnRelease };
      tx.record('tester_group.edited', { identifier: id, organizationId: row.organizationId, details });
    }
    return toGroup({ ...row, ...wanted });
  });
}

/** Deletes a group. Its members lose the access that they have only through it. */
export function removeGroup(ctx: OrganizationContext, id: string): void {
  ctx.transact(
    (tx) => {
      const { organizationId, name, members, grants } = store.loadGroup(tx, ctx.organization.id, id);
      removeRow(tx, 'tester_groups', id);
      tx.record('tester_group.deleted', { identifier: id, organizationId, details: { name, members, grants } });
    },
    { removes: true },
  );
}

/**
 * Grants a group access to a project or channel of its organization. Throws `already_exists` if it already has exactly
 * this grant.
 */
export function grantToGroup(ctx: OrganizationContext, groupId: string, body: GroupGrantBody): TesterGroupGrant {
  return ctx.transact((tx) => {
    const organizationId = ctx.organization.id;
    store.loadGroup(tx, organizationId, groupId);
    const target = findTarget(tx, organizationId, body);
    const targetId = target.channelId ?? target.projectId;
    if (store.isGroupGranted(tx, groupId, targetId)) {
      throw new AppError('already_exists', 'The group already has this access');
    }
    const row = { id: tx.ids.next(), groupId, organizationId, ...target, targetId, createdAt: tx.now };
    store.insertGroupGrant(tx, row);
    recordGroupGrant(tx, 'tester_group_grant.created', row);
    return toGroupGrant(row);
  });
}

function findTarget(ctx: Context, organizationId: string, { project_id, channel_id }: GroupGrantBody) {
  if (project_id === undefined && channel_id === undefined) {
    throw fieldError('body', ['project_id'], 'missing', 'Field required, unless channel_id is given');
  }
  if (project_id !== undefined && channel_id !== undefined) {
    throw fieldError('body', ['channel_id'], 'value_error', 'Send either project_id or channel_id');
  }
  if (project_id !== undefined) {
    if (loadProject(ctx, project_id).organizationId !== organizationId) throw notFound();
    return { projectId: project_id, channelId: null };
  }
  const channel = findChannel(ctx, channel_id ?? '');
  if (channel === undefined || channel.organizationId !== organizationId) throw notFound();
  return { projectId: channel.projectId, channelId: channel.id };
}

/** Returns a page of a group's grants, newest first. */
export function listGroupGrants(
  ctx: OrganizationContext,
  groupId: string,
  request: PageRequest,
): Page<TesterGroupGrant> {
  store.loadGroup(ctx, ctx.organization.id, groupId);
  return readPage(ctx, request, (before, limit) => store.listGroupGrants(ctx, groupId, before, limit), toGroupGrant);
}

/** Returns a grant of a group. Throws `not_found`. */
export function readGroupGrant(ctx: OrganizationContext, groupId: string, id: string): TesterGroupGrant {
  return toGroupGrant(loadGroupGrant(ctx, ctx.organization.id, groupId, id));
}

/** Removes a grant from a group. Throws `not_found`. */
export function removeGroupGrant(ctx: OrganizationContext, groupId: string, id: string): void {
  ctx.transact((tx) => {
    const row = loadGroupGrant(tx, ctx.organization.id, groupId, id);
    store.deleteGroupGrant(tx, id);
    recordGroupGrant(tx, 'tester_group_grant.deleted', row);
  });
}

function loadGroupGrant(ctx: Context, organizationId: string, groupId: string, id: string): store.GroupGrantRow {
  store.loadGroup(ctx, organizationId, groupId);
  const row = store.findGroupGrant(ctx, groupId, id);
  if (row === undefined) throw notFound();
  return row;
}

function recordGroupGrant(
  tx: Tx,
  event: 'tester_group_grant.created' | 'tester_group_grant.deleted',
  { id, groupId, organizationId, projectId, channelId }: store.GroupGrantRow,
): void {
  const place = channelId === null ? { project_id: projectId } : { project_id: projectId, channel_id: channelId };
  tx.record(event, { identifier: id, organizationId, projectId, details: { group_id: groupId, ...place } });
}
