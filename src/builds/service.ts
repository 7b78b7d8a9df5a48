// The rules for builds: reading, listing, editing notes and revoking.

import { describeInstallability } from '../compatibility/installability.ts';
import type { App, ProjectContext, Tx } from '../core/context.ts';
import { type Page, readPageInSteps } from '../core/paging.ts';
import type { Author } from '../events.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { displayBuildNumber } from './build-number.ts';
import { loadBuildFacts } from './compatibility-facts.ts';
import { findArchiveFacts } from './fact-store.ts';
import type { Build, ListBuilds, NextBuildNumber } from './schema.ts';
import * as store from './store.ts';
import { announceWithdrawal } from './withdrawal.ts';

/** Returns a build in its API shape. */
export function toBuild(app: Pick<App, 'config' | 'db' | 'clock'>, row: store.BuildRow): Build {
  const hasIcon = row.iconKey !== null;
  const facts = findArchiveFacts(app, row.id);
  return {
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
    inspection: facts && { bundle_identifier: facts.bundleIdentifier, build_number: facts.buildNumber },
    installability: describeInstallability(loadBuildFacts(app, row), app.clock.now().getTime()),
    revoked_at: timestampOrNull(row.revokedAt),
    uploaded_by_developer_id: row.uploadedByDeveloperId,
  };
}

/** Returns a build of the project, revoked or not. Throws `not_found`. */
export function readBuild(ctx: ProjectContext, id: string): Build {
  return toBuild(ctx, store.loadBuild(ctx, ctx.project.id, id));
}

/** Returns a page of the project's builds, newest first. The legacy flag is used only if no status is given. */
export function listBuilds(ctx: ProjectContext, query: ListBuilds): Promise<Page<Build>> {
  const status = query.status ?? (query.include_revoked === true ? 'all' : 'active');
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
 * Sets the release notes, or removes them with null. Undefined leaves them unchanged. Nothing else can be edited after
 * an upload.
 */
export function editBuild(ctx: ProjectContext, id: string, releaseNotes: string | null | undefined): Build {
  return ctx.transact((tx) => {
    const row = store.loadBuild(tx, ctx.project.id, id);
    if (releaseNotes === undefined || releaseNotes === row.releaseNotes) return toBuild(tx, row);
    store.updateBuild(tx, id, { releaseNotes });
    recordBuild(tx, 'build.edited', row, { fields: ['release_notes'] });
    return toBuild(tx, { ...row, releaseNotes });
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
    | 'build.redundant'
    | 'build.deleted'
    | 'build.retention_expired',
  row: Pick<store.BuildRow, 'id' | 'organizationId' | 'projectId' | 'versionName' | 'buildNumber'>,
  details: Record<string, unknown>,
  author?: Author,
): void {
  tx.record(event, {
    identifier: row.id,
    organizationId: row.organizationId,
    projectId: row.projectId,
    details: { version_name: row.versionName, build_number: row.buildNumber, ...details },
    data: { build_id: row.id },
    author,
  });
}
