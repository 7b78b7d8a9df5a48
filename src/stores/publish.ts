// Publish jobs. Publishing isn't operational: every job is accepted and fails, and no provider is asked anything.

import { loadBuild } from '../builds/store.ts';
import { developerIdOf } from '../core/actor.ts';
import type { JobHandler, ProjectContext } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { storePlatforms } from '../lib/store-providers.ts';
import type { PublishInput, PublishJob } from './publish-schema.ts';
import * as store from './publish-store.ts';
import { loadConnection } from './store.ts';

export const PUBLISH_JOB = 'publish';

/** The only failure there is. Our own text, in the API description too. */
const FAILURE = {
  code: 'publishing_not_operational',
  message:
    'Publishing to app stores is not operational. Nothing was sent to the store. This says nothing about the build or the credentials.',
} as const;

function toPublishJob(row: store.PublishRow): PublishJob {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    build_id: row.buildId,
    store_connection_id: row.storeConnectionId,
    store_connection_name: row.storeConnectionName,
    provider: row.provider,
    track: row.track,
    state: row.state,
    failure: row.state === 'failed' ? FAILURE : null,
    created_at: timestamp(row.createdAt),
    created_by: row.createdBy,
    started_at: timestampOrNull(row.startedAt),
    finished_at: timestampOrNull(row.finishedAt),
  };
}

/**
 * Accepts a request to publish a build. Throws `not_found` for a build of another project or a connection of another
 * organization, `operation_not_allowed` for a revoked build, and `invalid_input` for a provider of the other platform.
 */
export function requestPublish(ctx: ProjectContext, input: PublishInput): PublishJob {
  return ctx.transact((tx) => {
    const { id: projectId, platform } = ctx.project;
    const build = loadBuild(tx, projectId, input.build_id);
    const connection = loadConnection(tx, ctx.organization.id, input.store_connection_id);
    if (build.revokedAt !== null) throw new AppError('operation_not_allowed', 'The build is revoked');
    if (storePlatforms[connection.provider] !== platform) {
      throw new AppError('invalid_input', `Builds for ${platform} can't be published with this connection`);
    }
    const row: store.PublishRow = {
      id: tx.ids.next(),
      organizationId: ctx.organization.id,
      projectId,
      buildId: build.id,
      storeConnectionId: connection.id,
      storeConnectionName: connection.name,
      provider: connection.provider,
      track: input.track ?? null,
      state: 'created',
      createdAt: tx.now,
      createdBy: developerIdOf(tx.actor),
      startedAt: null,
      finishedAt: null,
    };
    store.insertPublish(tx, row);
    tx.record('publish.requested', {
      identifier: row.id,
      organizationId: row.organizationId,
      projectId,
      details: {
        build_id: row.buildId,
        store_connection_id: row.storeConnectionId,
        name: row.storeConnectionName,
        track: row.track,
      },
    });
    tx.enqueue({ kind: PUBLISH_JOB, payload: { id: row.id } });
    return toPublishJob(row);
  });
}

/** Returns a page of the project's publish jobs, newest first. */
export function listPublishJobs(ctx: ProjectContext, request: PageRequest): Page<PublishJob> {
  return readPage(
    ctx,
    request,
    (before, limit) => store.listPublishRows(ctx, ctx.project.id, before, limit),
    toPublishJob,
  );
}

/** Returns a publish job of the project. Throws `not_found`. */
export function readPublishJob(ctx: ProjectContext, id: string): PublishJob {
  const row = store.findPublish(ctx, id);
  if (row === undefined || row.projectId !== ctx.project.id) throw notFound();
  return toPublishJob(row);
}

/** Runs a publish job: it starts and fails. Safe to run twice. */
export const runPublishJob: JobHandler = (ctx, payload) => {
  const id = String(payload.id);
  ctx.transact(
    (tx) => {
      if (store.findPublish(tx, id)?.state === 'created') {
        store.updatePublish(tx, id, { state: 'running', startedAt: tx.now });
      }
    },
    { bookkeeping: true },
  );
  ctx.transact((tx) => {
    const row = store.findPublish(tx, id);
    if (row?.state !== 'running') return;
    store.updatePublish(tx, id, { state: 'failed', finishedAt: tx.now });
    tx.record('publish.failed', {
      identifier: id,
      organizationId: row.organizationId,
      projectId: row.projectId,
      developerId: row.createdBy,
      details: { build_id: row.buildId, store_connection_id: row.storeConnectionId, code: FAILURE.code },
    });
  });
};
