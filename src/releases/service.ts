// The rules for releases: the current release of a channel and its changes.

import { versionDetails } from '../builds/build-number.ts';
import { loadBuildFacts } from '../builds/compatibility-facts.ts';
import { toBuild } from '../builds/service.ts';
import { findBuild } from '../builds/store.ts';
import { totalDownloads } from '../channels/download-totals.ts';
import type { ChannelRow } from '../channels/store.ts';
import * as channelStore from '../channels/store.ts';
import { provenUninstallable } from '../compatibility/verdict.ts';
import { developerIdOf } from '../core/actor.ts';
import type { Context, ProjectContext, RawRow, Tx } from '../core/context.ts';
import { FIRST_PAGE, type Page, type PageRequest, readPage, readPageInSteps } from '../core/paging.ts';
import { removeRow } from '../core/removal.ts';
import type { Author } from '../events.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { startSteps } from '../lib/steps.ts';
import type { CreateRelease, EditRelease, Release } from './schema.ts';
import * as store from './store.ts';

/** Maximum number of channels of a project whose current releases are listed. */
const MAX_CHANNELS = 1000;

/** Maximum number of releases that one request rolls back. */
const MAX_ROLLED_BACK = 100;

/** Returns a release in its API shape. `currentId` is the current release of its channel. */
function toRelease(ctx: Context, { release, build }: store.ReleaseWithBuild, currentId: string | undefined): Release {
  return {
    identifier: release.id,
    organization_id: release.organizationId,
    project_id: release.projectId,
    channel_id: release.channelId,
    build: toBuild(ctx, build),
    release_notes: release.releaseNotes,
    mandatory: release.mandatory,
    state: release.state,
    is_current: release.id === currentId,
    created_at: timestamp(release.createdAt),
    created_by: release.createdBy,
    released_by: findAuthor(ctx, release),
    promoted_from: release.isAutomatic ? null : (store.findPromotionSource(ctx, release) ?? null),
  };
}

function findAuthor(ctx: Context, release: store.ReleaseRow): Release['released_by'] {
  if (release.createdByToken !== null) return { kind: 'project_access_token', name: release.createdByToken };
  if (release.isAutomatic) return { kind: 'system', name: null };
  const name = release.createdBy === null ? undefined : store.findDisplayName(ctx, release.createdBy);
  return name === undefined ? null : { kind: 'developer', name };
}

/** Returns a current release in its API shape. */
export function toCurrentRelease(ctx: Context, row: store.ReleaseWithBuild): Release {
  return toRelease(ctx, row, row.id);
}

/** Returns a release of any state in its API shape. */
export function toAnyRelease(ctx: Context, row: store.ReleaseWithBuild): Release {
  return toRelease(ctx, row, store.findCurrent(ctx, row.release.channelId)?.id);
}

function readBack(ctx: Context, projectId: string, id: string): Release {
  return toAnyRelease(ctx, store.loadRelease(ctx, projectId, id));
}

/**
 * Releases a build to a channel. Throws `not_found` for a build of another project and `operation_not_allowed` for a
 * revoked one.
 */
export function createRelease(ctx: ProjectContext, channelId: string, body: CreateRelease): Release {
  const channel = channelStore.loadChannel(ctx, ctx.project.id, channelId);
  const buildRow = findBuild(ctx, body.build_id);
  if (buildRow === undefined || buildRow.projectId !== ctx.project.id) throw notFound();
  if (buildRow.revokedAt !== null) throw new AppError('operation_not_allowed', "A revoked build can't be released");
  return ctx.transact((tx) => {
    const id = addRelease(tx, channel, buildRow, {
      releaseNotes: body.release_notes ?? null,
      mandatory: body.mandatory,
      createdBy: developerIdOf(ctx.actor),
      createdByToken: ctx.actor.kind === 'project_access_token' ? ctx.actor.name : null,
      isAutomatic: false,
    });
    return readBack(tx, ctx.project.id, id);
  });
}

/**
 * Releases a just completed upload to all channels of its project with auto_distribute, in the same transaction. A
 * build that can't be installed on any device isn't released (docs/specification/channels.md#automatic-releases).
 */
export function releaseAutomatically(tx: Tx, buildRow: store.BuildRow): void {
  if (provenUninstallable(loadBuildFacts(tx, buildRow), tx.now) !== null) return;
  for (const channel of channelStore.listAutoChannels(tx, buildRow.projectId)) {
    addRelease(tx, channel, buildRow, {
      releaseNotes: null,
      mandatory: false,
      createdBy: null,
      createdByToken: null,
      isAutomatic: true,
    });
  }
}

/** Returns the automatic releases of a build in the API shape of complete, oldest first. */
export function listAutomaticReleases(
  ctx: Context,
  buildRow: store.BuildRow,
): { channel_id: string; release_id: string }[] {
  return store
    .listAutomaticReleases(ctx, buildRow)
    .map(({ id, channelId }) => ({ channel_id: channelId, release_id: id }));
}

function addRelease(
  tx: Tx,
  channel: ChannelRow,
  buildRow: store.BuildRow,
  facts: Pick<store.ReleaseRow, 'releaseNotes' | 'mandatory' | 'createdBy' | 'createdByToken' | 'isAutomatic'>,
): string {
  const row: store.ReleaseRow = {
    id: tx.ids.next(),
    organizationId: channel.organizationId,
    projectId: channel.projectId,
    channelId: channel.id,
    buildId: buildRow.id,
    state: 'active',
    createdAt: tx.now,
    ...facts,
  };
  store.insertRelease(tx, row);
  announceCurrent(tx, channel.id);
  if (channel.notifyOnRelease) for (const hook of tx.hooks.releaseCreated) hook(tx, row.id);
  recordRelease(tx, 'release.created', row, {});
  return row.id;
}

function announceCurrent(tx: Tx, channelId: string): void {
  for (const hook of tx.hooks.currentChanged) hook(tx, channelId);
}

/** Returns a page of a channel's releases, newest first. */
export function listReleases(ctx: ProjectContext, channelId: string, request: PageRequest): Promise<Page<Release>> {
  channelStore.loadChannel(ctx, ctx.project.id, channelId);
  const currentId = store.findCurrent(ctx, channelId)?.id;
  return readPageInSteps(
    ctx,
    request,
    (before, limit) => store.listReleases(ctx, channelId, before, limit),
    (row) => toRelease(ctx, row, currentId),
  );
}

/**
 * Returns the current releases of a channel: at most one, because a project has one platform. Without a channel,
 * returns those of the project's newest 1000 channels.
 */
export async function listCurrent(ctx: ProjectContext, channelId: string | undefined): Promise<Release[]> {
  if (channelId !== undefined) channelStore.loadChannel(ctx, ctx.project.id, channelId);
  const ids =
    channelId === undefined
      ? channelStore.listChannels(ctx, ctx.project.id, FIRST_PAGE, MAX_CHANNELS).map(({ id }) => id)
      : [channelId];
  const step = startSteps();
  const current: Release[] = [];
  for (const id of ids) {
    await step();
    const row = store.findCurrent(ctx, id);
    if (row !== undefined) current.push(toCurrentRelease(ctx, row));
  }
  return current;
}

/** Returns a release of the project. Throws `not_found`. */
export function readRelease(ctx: ProjectContext, id: string): Release {
  return readBack(ctx, ctx.project.id, id);
}

/** Changes the notes or the mandatory flag. */
export function editRelease(ctx: ProjectContext, id: string, body: EditRelease): Release {
  return ctx.transact((tx) => {
    const { release } = store.loadRelease(tx, ctx.project.id, id);
    const changes = {
      mandatory: body.mandatory ?? release.mandatory,
      releaseNotes: body.release_notes === undefined ? release.releaseNotes : body.release_notes,
    };
    const fields = [
      ...(changes.mandatory === release.mandatory ? [] : ['mandatory']),
      ...(changes.releaseNotes === release.releaseNotes ? [] : ['release_notes']),
    ];
    if (fields.length > 0) {
      store.updateRelease(tx, id, changes);
      recordRelease(tx, 'release.edited', release, { fields });
    }
    return readBack(tx, ctx.project.id, id);
  });
}

/**
 * Disables or enables a release. A repetition changes nothing and is recorded as redundant. Throws
 * `operation_not_allowed` if it was rolled back.
 */
export function setReleaseState(ctx: ProjectContext, id: string, state: 'active' | 'disabled'): Release {
  return ctx.transact((tx) => {
    const { release } = store.loadRelease(tx, ctx.project.id, id);
    if (release.state === 'rolled_back') {
      throw new AppError(
        'operation_not_allowed',
        "A rolled back release can't be enabled or disabled. Release its build again",
      );
    }
    if (release.state === state) recordRelease(tx, 'release.redundant', release, { state });
    else {
      store.updateRelease(tx, id, { state });
      announceCurrent(tx, release.channelId);
      recordRelease(tx, 'release.edited', release, { fields: ['state'], state });
    }
    return readBack(tx, ctx.project.id, id);
  });
}

/**
 * Marks the current release of the channel, and those between it and the target, as rolled_back. Returns the target,
 * which is now current: by default the release before the current one. Throws `operation_not_allowed` if there is none,
 * and `not_found` if the target isn't a release of the channel.
 */
export function rollBackChannel(ctx: ProjectContext, channelId: string, targetId?: string): Release {
  channelStore.loadChannel(ctx, ctx.project.id, channelId);
  return ctx.transact((tx) => {
    if (targetId !== undefined && store.loadRelease(tx, ctx.project.id, targetId).release.channelId !== channelId) {
      throw notFound();
    }
    const servable = store.listServable(tx, channelId, targetId === undefined ? 2 : MAX_ROLLED_BACK + 1);
    const at = targetId === undefined ? 1 : servable.findIndex(({ id }) => id === targetId);
    const target = servable[at];
    if (target === undefined || at === 0) {
      throw new AppError(
        'operation_not_allowed',
        targetId === undefined
          ? 'The channel has no earlier release'
          : `The release isn't one of the ${MAX_ROLLED_BACK} active releases before the current one`,
      );
    }
    for (const { id, release } of servable.slice(0, at)) {
      store.updateRelease(tx, id, { state: 'rolled_back' });
      recordRelease(tx, 'release.rolled_back', release, { current_release_id: target.id });
    }
    announceCurrent(tx, channelId);
    return toRelease(tx, target, target.id);
  });
}

/** Deletes a release in any state. The channel still counts its downloads. */
export function deleteRelease(ctx: ProjectContext, id: string): void {
  ctx.transact(
    (tx) => {
      const { release } = store.loadRelease(tx, ctx.project.id, id);
      removeRow(tx, 'releases', id);
      announceCurrent(tx, release.channelId);
      recordRelease(tx, 'release.deleted', release, { state: release.state });
    },
    { removes: true },
  );
}

/** Records the deletion of a release that is deleted with its channel, build or project. */
export function recordRemovedRelease(tx: Tx, row: RawRow, author: Author): void {
  const { state } = row;
  const release = {
    id: String(row.id),
    organizationId: String(row.organization_id),
    projectId: String(row.project_id),
    channelId: String(row.channel_id),
    buildId: String(row.build_id),
  };
  recordRelease(tx, 'release.deleted', release, { state }, author);
}

/** Returns the downloads of a release and the states of its SDK installs. */
export function readAnalytics(ctx: ProjectContext, id: string) {
  const { release } = store.loadRelease(ctx, ctx.project.id, id);
  const { downloads, developers, first, last } = totalDownloads(ctx, id);
  const installs = { total: 0, downloaded: 0, installed: 0, launched: 0, failed: 0 };
  for (const { state, installs: count } of store.totalReports(ctx, id)) {
    installs[state] = count;
    installs.total += count;
  }
  return {
    release_id: id,
    channel_id: release.channelId,
    total_downloads: downloads,
    unique_testers: developers,
    first_downloaded_at: timestampOrNull(first),
    last_downloaded_at: timestampOrNull(last),
    installs,
  };
}

/** Returns a page of the downloads and installs of a release, newest first. */
export function listInstalls(ctx: ProjectContext, id: string, request: PageRequest) {
  const { release } = store.loadRelease(ctx, ctx.project.id, id);
  return readPage(
    ctx,
    request,
    (before, limit) => store.listAdopters(ctx, id, before, limit),
    (row) => ({
      identifier: row.id,
      release_id: id,
      build_id: release.buildId,
      state: row.state,
      developer_id: row.developerId,
      display_name: row.displayName,
      install_id: row.installId,
      device_model: row.deviceModel,
      error: row.error,
      created_at: timestamp(row.createdAt),
      updated_at: timestamp(row.updatedAt),
    }),
  );
}

function recordRelease(
  tx: Tx,
  event: 'release.created' | 'release.edited' | 'release.redundant' | 'release.rolled_back' | 'release.deleted',
  row: Pick<store.ReleaseRow, 'id' | 'organizationId' | 'projectId' | 'channelId' | 'buildId'>,
  details: Record<string, unknown>,
  author?: Author,
): void {
  tx.record(event, {
    identifier: row.id,
    organizationId: row.organizationId,
    projectId: row.projectId,
    details: { channel_id: row.channelId, build_id: row.buildId, ...namesOf(tx, row), ...details },
    data: { release_id: row.id, channel_id: row.channelId, build_id: row.buildId },
    author,
  });
}

/** Returns the names of a release for its events: once the channel or the build is deleted, only the events have them. */
function namesOf(tx: Tx, { channelId, buildId }: Pick<store.ReleaseRow, 'channelId' | 'buildId'>) {
  const channel = channelStore.findChannel(tx, channelId);
  const build = findBuild(tx, buildId);
  return {
    ...(channel === undefined ? {} : { channel: channel.name }),
    ...(build === undefined ? {} : versionDetails(build)),
  };
}
