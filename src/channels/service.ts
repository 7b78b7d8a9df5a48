// The rules for channels, which are named streams of releases in a project.

import type { Context, ProjectContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { removeRow } from '../core/removal.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { countOf } from '../lib/count.ts';
import { AppError } from '../lib/errors.ts';
import { permissions, projectRoleAllows, scopesCover } from '../permissions.ts';
import { listSiblings } from '../projects/siblings.ts';
import { loadProject } from '../projects/store.ts';
import { totalDownloads } from './download-totals.ts';
import { channelPageUrl, shortPageUrl } from './install-links.ts';
import type { Channel, CreateChannel, EditChannel } from './schema.ts';
import { listSiblingChannels } from './siblings.ts';
import { claimSlug } from './slugs.ts';
import * as store from './store.ts';

/** Releases aren't counted beyond this, so that the cost of deleting a channel is bounded. */
const MAX_COUNTED = 10_000;

/** Converts a row to its API shape. */
export function toChannel({ config }: Pick<Context, 'config'>, row: store.ChannelRow): Channel {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    name: row.name,
    created_at: timestamp(row.createdAt),
    description: row.description,
    auto_distribute: row.autoDistribute,
    notify_on_release: row.notifyOnRelease,
    public: row.isPublic,
    allow_device_registration: row.allowsDeviceRegistration,
    install_url: channelPageUrl(config.server.base_url, row.id),
    slug: row.slug,
    sibling_name: row.siblingName,
    short_url: row.slug === null ? null : shortPageUrl(config.server.base_url, row.slug),
    keep_last: row.keepLast,
    keep_days: row.keepDays,
  };
}

function requireFreeName(tx: Tx, projectId: string, name: string): void {
  if (store.isNameTaken(tx, projectId, name)) {
    throw new AppError('already_exists', `The project already has a channel named ${name}`);
  }
}

/** Creates a channel. Throws `already_exists` if the project has one with that name, or if another channel has the slug. */
export function createChannel(ctx: ProjectContext, body: CreateChannel): Channel {
  requireMayKeep(ctx, {}, body);
  return ctx.transact((tx) =>
    addChannel(ctx, tx, { organizationId: ctx.organization.id, projectId: ctx.project.id }, body),
  );
}

/** Like createChannel, but within a transaction. */
export function addChannel(
  ctx: Context,
  tx: Tx,
  place: Pick<store.ChannelRow, 'organizationId' | 'projectId'>,
  body: CreateChannel,
): Channel {
  requireFreeName(tx, place.projectId, body.name);
  const row: store.ChannelRow = {
    id: tx.ids.next(),
    ...place,
    name: body.name,
    description: body.description ?? null,
    autoDistribute: body.auto_distribute,
    notifyOnRelease: body.notify_on_release,
    isPublic: body.public,
    allowsDeviceRegistration: body.allow_device_registration,
    createdAt: tx.now,
    slug: body.slug ?? null,
    siblingName: body.sibling_name ?? null,
    keepLast: body.keep_last ?? null,
    keepDays: body.keep_days ?? null,
  };
  claimSlug(tx, { id: row.id, slug: null }, row.slug);
  store.insertChannel(tx, row);
  recordChannel(tx, 'channel.created', row, { name: row.name, public: row.isPublic });
  return toChannel(ctx, row);
}

type Rules = Pick<EditChannel, 'keep_last' | 'keep_days'>;

/**
 * Rules of a channel delete builds, so setting or changing one requires the permission to delete builds; ending one doesn't. Throws
 * `insufficient_role`, and `permission_denied` for tokens.
 */
function requireMayKeep({ actor, project }: ProjectContext, before: Rules, wanted: Rules): void {
  const changed = (['keep_last', 'keep_days'] as const).filter(
    (name) => wanted[name] != null && wanted[name] !== before[name],
  );
  if (changed.length === 0) return;
  const needed = permissions['build.delete'];
  if (actor.kind === 'personal_access_token' && !scopesCover(actor.scopes, needed.scope)) {
    throw new AppError('permission_denied', `The token lacks the scope ${needed.scope}, which ${changed[0]} requires`);
  }
  if (projectRoleAllows(project.role, 'build.delete')) return;
  const message = `${changed[0]} deletes builds, which requires the role ${needed.role} in the project`;
  throw actor.kind === 'developer'
    ? new AppError('insufficient_role', message)
    : new AppError('permission_denied', message);
}

/** Returns a page of the project's channels, newest first. */
export function listChannels(ctx: ProjectContext, request: PageRequest): Page<Channel> {
  return readPage(
    ctx,
    request,
    (before, limit) => store.listChannels(ctx, ctx.project.id, before, limit),
    (row) => toChannel(ctx, row),
  );
}

/** Returns a channel of the project. Throws `not_found`. */
export function readChannel(ctx: ProjectContext, id: string): Channel {
  return toChannel(ctx, store.loadChannel(ctx, ctx.project.id, id));
}

/** Returns the siblings of a channel that the caller can access. Throws `not_found`. */
export function readSiblings(ctx: ProjectContext, id: string): Channel[] {
  store.loadChannel(ctx, ctx.project.id, id);
  const projects = new Set(listSiblings(ctx, loadProject(ctx, ctx.project.id)).map(({ identifier }) => identifier));
  return listSiblingChannels(ctx, id)
    .filter(({ projectId }) => projects.has(projectId))
    .map((sibling) => toChannel(ctx, store.loadChannel(ctx, sibling.projectId, sibling.id)));
}

/** Changes the given fields. The audit event has their values before and after. */
export function editChannel(ctx: ProjectContext, id: string, body: EditChannel): Channel {
  return ctx.transact((tx) => {
    const row = store.loadChannel(tx, ctx.project.id, id);
    if (body.name !== undefined && body.name !== row.name) requireFreeName(tx, ctx.project.id, body.name);
    requireMayKeep(ctx, { keep_last: row.keepLast, keep_days: row.keepDays }, body);
    const wanted: Partial<store.ChannelRow> = {
      name: body.name ?? row.name,
      description: body.description === undefined ? row.description : body.description,
      autoDistribute: body.auto_distribute ?? row.autoDistribute,
      notifyOnRelease: body.notify_on_release ?? row.notifyOnRelease,
      isPublic: body.public ?? row.isPublic,
      allowsDeviceRegistration: body.allow_device_registration ?? row.allowsDeviceRegistration,
      slug: body.slug === undefined ? row.slug : body.slug,
      siblingName: body.sibling_name === undefined ? row.siblingName : body.sibling_name,
      keepLast: body.keep_last === undefined ? row.keepLast : body.keep_last,
      keepDays: body.keep_days === undefined ? row.keepDays : body.keep_days,
    };
    const before = toChannel(ctx, row);
    const after = toChannel(ctx, { ...row, ...wanted });
    const fields = Object.keys(body).filter((field) => Reflect.get(before, field) !== Reflect.get(after, field));
    if (fields.length > 0) {
      if (fields.includes('slug')) claimSlug(tx, row, after.slug);
      store.updateChannel(tx, id, wanted);
      const changed = Object.fromEntries(
        fields.map((field) => [field, { from: Reflect.get(before, field), to: Reflect.get(after, field) }]),
      );
      recordChannel(tx, 'channel.edited', row, { name: after.name, fields, changed });
    }
    return after;
  });
}

/**
 * Deletes a channel. Throws `dependency_exists` if it has releases or SDK apps, unless forced, which deletes and
 * records them too. If there are many, the channel disappears immediately and they are deleted in steps.
 */
export function deleteChannel(ctx: ProjectContext, id: string, isForced: boolean): void {
  ctx.transact(
    (tx) => {
      const row = store.loadChannel(tx, ctx.project.id, id);
      const counted = countReleases(tx, id);
      const sdkApps = store.countSdkApps(tx, id);
      if (counted.releases + sdkApps > 0 && !isForced) throw hasDependants(counted, sdkApps);
      removeCounted(tx, row, counted);
    },
    { removes: true },
  );
}

/** Deletes a channel with its releases and SDK apps, within a transaction. */
export function removeChannel(tx: Tx, row: store.ChannelRow): void {
  removeCounted(tx, row, countReleases(tx, row.id));
}

/** The number of releases in errors and events. Above a limit, the exact one would take too long. */
interface CountedReleases {
  releases: number;
  or_more?: true;
}

function countReleases(tx: Tx, id: string): CountedReleases {
  const releases = store.countReleases(tx, id, MAX_COUNTED);
  return releases < MAX_COUNTED ? { releases } : { releases, or_more: true };
}

function removeCounted(tx: Tx, row: store.ChannelRow, counted: CountedReleases): void {
  removeRow(tx, 'channels', row.id);
  recordChannel(tx, 'channel.deleted', row, { name: row.name, ...counted });
}

function hasDependants(counted: CountedReleases, sdkApps: number): AppError {
  const { releases, or_more: orMore } = counted;
  const counts: string[] = [];
  if (releases > 0) counts.push(orMore ? `${releases} or more releases` : countOf(releases, 'release'));
  if (sdkApps > 0) counts.push(countOf(sdkApps, 'SDK app'));
  const message = `The channel has ${counts.join(' and ')}. Send force=true to delete them too`;
  return new AppError('dependency_exists', message, { ...counted, sdk_apps: sdkApps });
}

/** Returns the downloads of a channel (docs/specification/channels.md#analytics). */
export function readAnalytics(ctx: ProjectContext, id: string) {
  store.loadChannel(ctx, ctx.project.id, id);
  const { builds, downloads, developers, first, last } = totalDownloads(ctx, id);
  return {
    channel_id: id,
    distinct_builds: builds,
    total_downloads: downloads,
    unique_testers: developers,
    first_downloaded_at: timestampOrNull(first),
    last_downloaded_at: timestampOrNull(last),
  };
}

function recordChannel(
  tx: Tx,
  event: 'channel.created' | 'channel.edited' | 'channel.deleted',
  row: store.ChannelRow,
  details: Record<string, unknown>,
): void {
  tx.record(event, { identifier: row.id, organizationId: row.organizationId, projectId: row.projectId, details });
}
