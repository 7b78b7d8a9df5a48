// The rules for builds: reading, listing, editing notes and labels, and revoking.

import { describeInstallability } from '../compatibility/installability.ts';
import type { BuildFacts } from '../compatibility/verdict.ts';
import type { App, ProjectContext, Tx } from '../core/context.ts';
import { type Page, readPageInSteps } from '../core/paging.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import type { EventFacts } from '../events.ts';
import type { Reply } from '../http/reply.ts';
import { imageUrl, readImage } from '../images/service.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { startSteps } from '../lib/steps.ts';
import { displayBuildNumber, versionDetails } from './build-number.ts';
import { loadBuildFacts } from './compatibility-facts.ts';
import { countByValue, findUploader, listLabels } from './list-store.ts';
import { isFiltered, listFiltered } from './listing.ts';
import { areSameLabels, toSource } from './origin.ts';
import type { Build, EditBuild, ListBuilds, NextBuildNumber } from './schema.ts';
import type { Uploader } from './source-schema.ts';
import * as store from './store.ts';
import { announceWithdrawal } from './withdrawal.ts';

/** Returns a build in its API shape. */
export function toBuild(app: Pick<App, 'config' | 'db' | 'clock'>, row: store.BuildRow): Build {
  return describeBuild(app, row).build;
}

/** A build as shown at a moment, and the facts that its installability follows from. */
interface DescribedBuild {
  build: Build;
  facts: BuildFacts;
  at: number;
}

/** Whether the installability of a build is the same at another moment: only the end of its profile changes it. */
function isDescribedFor({ facts, at }: DescribedBuild, now: number): boolean {
  const expiresAt = facts.archive?.profile?.expiresAt ?? null;
  return expiresAt === null || expiresAt <= now === expiresAt <= at;
}

function describeBuild(app: Pick<App, 'config' | 'db' | 'clock'>, row: store.BuildRow): DescribedBuild {
  const hasIcon = row.iconKey !== null;
  const facts = loadBuildFacts(app, row);
  const { archive } = facts;
  const at = app.clock.time();
  const build = {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    platform: row.platform,
    version_name: row.versionName,
    build_number: row.buildNumber,
    display_build_number: displayBuildNumber(row),
    sha256: row.sha256,
    size_bytes: row.sizeBytes,
    uploaded_at: timestamp(row.uploadedAt),
    bundle_identifier: row.bundleIdentifier,
    original_filename: row.originalFilename,
    release_notes: row.releaseNotes,
    min_os_version: row.minOsVersion,
    has_icon: hasIcon,
    icon_url: hasIcon ? `${app.config.server.base_url}/api/v1/builds/${row.id}/icon` : null,
    inspection_status: row.inspectionStatus,
    inspection: archive && { bundle_identifier: archive.bundleIdentifier, build_number: archive.buildNumber },
    installability: describeInstallability(facts, at),
    revoked_at: timestampOrNull(row.revokedAt),
    pinned_at: timestampOrNull(row.pinnedAt),
    uploaded_by_developer_id: row.uploadedByDeveloperId,
    uploaded_by: toUploader(app, row),
    source: toSource(row),
    labels: [...listLabels(app, row.id)],
  };
  return { build, facts, at };
}

function toUploader(app: Pick<App, 'config' | 'db'>, row: store.BuildRow): Uploader | null {
  const { uploadedByToken: token, uploadedByDeveloperId: id } = row;
  if (token !== null) return { kind: 'project_access_token', name: token, avatar_url: null };
  const developer = id === null ? undefined : findUploader(app, id);
  if (developer === undefined) return null;
  const picture = { iconKey: developer.avatarKey, iconType: developer.avatarType };
  return {
    kind: 'developer',
    name: developer.name,
    avatar_url: imageUrl(app, `/projects/${row.projectId}/uploaders/${id}/avatar`, picture),
  };
}

/**
 * Returns the picture of a developer who uploaded a build of the project, as uploaded. Throws `not_found` if there is none, and for
 * people who have uploaded none of its builds.
 */
export async function readUploaderAvatar(ctx: ProjectContext, developerId: string): Promise<Reply> {
  const uploads = countByValue(ctx, 'uploader', { projectId: ctx.project.id, value: developerId, max: 1 });
  const developer = uploads === 0 ? undefined : findUploader(ctx, developerId);
  if (developer === undefined) throw notFound();
  return readImage(ctx, { iconKey: developer.avatarKey, iconType: developer.avatarType });
}

/** Returns a build of the project, revoked or not. Throws `not_found`. */
export function readBuild(ctx: ProjectContext, id: string): Build {
  const { config, db, clock, project } = ctx;
  // Changes with its rows, so it's cached like them. The parts of the request would stay in memory with it.
  const described = rowCacheOf(ctx).getOrRead(describeBuild, id, () =>
    describeBuild({ config, db, clock }, store.loadBuild(ctx, project.id, id)),
  );
  const { build, facts } = described;
  if (build.project_id !== project.id) throw notFound();
  const now = clock.time();
  return isDescribedFor(described, now) ? build : { ...build, installability: describeInstallability(facts, now) };
}

/**
 * Returns a page of the project's builds that match the filters, newest or highest version first. The legacy flag is used only if
 * no status is given.
 */
export async function listBuilds(ctx: ProjectContext, query: ListBuilds): Promise<Page<Build>> {
  const status = query.status ?? (query.include_revoked === true ? 'all' : 'active');
  if (isFiltered(query)) {
    const { items: rows, next_cursor } = await listFiltered(ctx, query, status);
    const step = startSteps();
    const items: Build[] = [];
    for (const row of rows) {
      await step();
      items.push(toBuild(ctx, row));
    }
    return { items, next_cursor };
  }
  return readPageInSteps(
    ctx,
    query,
    (before, limit) => store.listBuilds(ctx, { projectId: ctx.project.id, status, before, limit }),
    (row) => toBuild(ctx, row),
  );
}

/**
 * Returns the number after the highest one in the project, for packages whose own text isn't a number.
 * Throws `operation_not_allowed` if there is no higher number. The number isn't reserved: if two uploads use
 * it, initiate rejects one.
 */
export function findNextBuildNumber(ctx: ProjectContext): NextBuildNumber {
  return { build_number: chooseNextNumber(ctx, ctx.project.id) };
}

/** The same as a number. */
export function chooseNextNumber(app: Pick<App, 'db' | 'clock'>, projectId: string): number {
  const highest = store.findHighestNumber(app, projectId);
  if (highest >= Number.MAX_SAFE_INTEGER) {
    throw new AppError('operation_not_allowed', 'The project has a build with the highest possible build number');
  }
  return highest + 1;
}

/**
 * Sets the release notes and replaces the labels; null removes them. Undefined leaves them unchanged. Nothing else can be edited
 * after an upload.
 */
export function editBuild(ctx: ProjectContext, id: string, { release_notes: notes, labels }: EditBuild): Build {
  return ctx.transact((tx) => {
    const row = store.loadBuild(tx, ctx.project.id, id);
    const fields: string[] = [];
    if (notes !== undefined && notes !== row.releaseNotes) {
      store.updateBuild(tx, id, { releaseNotes: notes });
      fields.push('release_notes');
    }
    if (labels !== undefined && !areSameLabels(labels ?? [], listLabels(tx, id))) {
      store.deleteLabels(tx, id);
      store.insertLabels(tx, row, labels ?? []);
      fields.push('labels');
    }
    if (fields.length > 0) recordBuild(tx, 'build.edited', row, { fields });
    return toBuild(tx, notes === undefined ? row : { ...row, releaseNotes: notes });
  });
}

/**
 * Revokes a build: it stays listed by its status and keeps its version and build number, but can't be downloaded.
 * Revoking it again keeps the first time and is recorded as redundant.
 */
export function revokeBuild(ctx: ProjectContext, id: string): Build {
  return ctx.transact((tx) => {
    const row = store.loadBuild(tx, ctx.project.id, id);
    if (row.revokedAt !== null) {
      recordBuild(tx, 'build.redundant', row, { action: 'revoke' });
      return toBuild(tx, row);
    }
    store.updateBuild(tx, id, { revokedAt: tx.now });
    announceWithdrawal(tx, row.projectId);
    recordBuild(tx, 'build.revoked', row, {});
    return toBuild(tx, { ...row, revokedAt: tx.now });
  });
}

/** Records an event of a build with its version and build number. */
export function recordBuild(
  tx: Tx,
  event:
    | 'build.uploaded'
    | 'build.edited'
    | 'build.revoked'
    | 'build.pinned'
    | 'build.unpinned'
    | 'build.redundant'
    | 'build.deleted'
    | 'build.retention_expired',
  row: Pick<
    store.BuildRow,
    'id' | 'organizationId' | 'projectId' | 'platform' | 'versionName' | 'buildNumber' | 'packageBuildNumber'
  >,
  details: Record<string, unknown>,
  more: Pick<EventFacts, 'author' | 'also'> = {},
): void {
  tx.record(event, {
    identifier: row.id,
    organizationId: row.organizationId,
    projectId: row.projectId,
    details: { ...versionDetails(row), ...details },
    data: { build_id: row.id },
    ...more,
  });
}
