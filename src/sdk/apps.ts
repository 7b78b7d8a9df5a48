// The rules for SDK apps, which apps use for finding their updates.
import { loadChannel } from '../channels/store.ts';
import { developerIdOf } from '../core/actor.ts';
import type { ProjectContext, RawRow, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { removeRow } from '../core/removal.ts';
import type { Author } from '../events.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { CreateSdkApp, EditSdkApp, SdkApp, SdkAppWithSecret, SdkInstall } from './app-schema.ts';
import * as store from './app-store.ts';
import { type ListedInstall, listInstallRows } from './install-store.ts';

const APP_KEY_PREFIX = 'svc_app_';
const APP_SECRET_PREFIX = 'svc_aps_';

function toSdkApp(row: store.SdkAppRow): SdkApp {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    channel_id: row.channelId,
    name: row.name,
    app_key: row.appKey,
    install_count: row.installCount,
    created_at: timestamp(row.createdAt),
    created_by: row.createdBy,
    secret_rotated_at: timestampOrNull(row.secretRotatedAt),
    revoked_at: timestampOrNull(row.revokedAt),
  };
}

/**
 * Creates an SDK app for a channel of the project and returns its secret, which is shown only once. Throws `not_found`
 * for another channel.
 */
export function createSdkApp(ctx: ProjectContext, body: CreateSdkApp): SdkAppWithSecret {
  return ctx.transact((tx) => {
    loadChannel(tx, ctx.project.id, body.channel_id);
    const secret = tx.secrets.token(APP_SECRET_PREFIX);
    const row: store.SdkAppRow = {
      id: tx.ids.next(),
      organizationId: ctx.organization.id,
      projectId: ctx.project.id,
      channelId: body.channel_id,
      name: body.name,
      appKey: tx.secrets.token(APP_KEY_PREFIX),
      secretHash: tx.secrets.hash(secret),
      installCount: 0,
      createdBy: developerIdOf(tx.actor),
      createdAt: tx.now,
      secretRotatedAt: null,
      revokedAt: null,
    };
    store.insertSdkApp(tx, row);
    recordSdkApp(tx, 'sdk_app.created', row, { channel_id: row.channelId });
    return { ...toSdkApp(row), app_secret: secret };
  });
}

/** Returns a page of the project's SDK apps, newest first, including revoked ones, without their secrets. */
export function listSdkApps(ctx: ProjectContext, request: PageRequest): Page<SdkApp> {
  return readPage(
    ctx,
    request,
    (before, limit) => store.listSdkApps(ctx, ctx.project.id, before, limit),
    (row) => toSdkApp(row),
  );
}

/** Returns an SDK app of the project. Throws `not_found`. */
export function readSdkApp(ctx: ProjectContext, id: string): SdkApp {
  return toSdkApp(store.loadSdkApp(ctx, ctx.project.id, id));
}

/** Changes the name or channel. Installs get the releases of the new channel with their next request. */
export function editSdkApp(ctx: ProjectContext, id: string, body: EditSdkApp): SdkApp {
  return ctx.transact((tx) => {
    const row = store.loadSdkApp(tx, ctx.project.id, id);
    const wanted = { name: body.name ?? row.name, channelId: body.channel_id ?? row.channelId };
    const fields = [
      ...(wanted.name === row.name ? [] : ['name']),
      ...(wanted.channelId === row.channelId ? [] : ['channel_id']),
    ];
    if (fields.length > 0) {
      loadChannel(tx, ctx.project.id, wanted.channelId);
      store.updateSdkApp(tx, id, wanted);
      recordSdkApp(tx, 'sdk_app.edited', { ...row, ...wanted }, { fields });
    }
    return toSdkApp({ ...row, ...wanted });
  });
}

/**
 * Replaces the secret of the SDK app and returns the new one. New installs can't enroll with the old one; enrolled
 * installs aren't affected. Throws `operation_not_allowed` for a revoked app.
 */
export function rotateSdkAppSecret(ctx: ProjectContext, id: string): SdkAppWithSecret {
  return ctx.transact((tx) => {
    const row = store.loadSdkApp(tx, ctx.project.id, id);
    if (row.revokedAt !== null) throw new AppError('operation_not_allowed', 'The SDK app is revoked. Create a new one');
    const secret = tx.secrets.token(APP_SECRET_PREFIX);
    const change = { secretHash: tx.secrets.hash(secret), secretRotatedAt: tx.now };
    store.updateSdkApp(tx, id, change);
    recordSdkApp(tx, 'sdk_app.edited', row, { fields: ['app_secret'] });
    return { ...toSdkApp({ ...row, ...change }), app_secret: secret };
  });
}

/**
 * Revokes an SDK app and all its installs (docs/specification/in-app-updates.md#sdk-apps). Repeating it changes nothing
 * and is recorded as redundant.
 */
export function revokeSdkApp(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => {
    const row = store.loadSdkApp(tx, ctx.project.id, id);
    if (row.revokedAt !== null) return recordSdkApp(tx, 'sdk_app.redundant', row, { action: 'revoke' });
    store.updateSdkApp(tx, id, { revokedAt: tx.now });
    recordSdkApp(tx, 'sdk_app.revoked', row, { installs: row.installCount });
  });
}

/** Deletes an SDK app in any state. Its installs stop working immediately, and the cleanup job deletes their rows. */
export function deleteSdkApp(ctx: ProjectContext, id: string): void {
  ctx.transact(
    (tx) => {
      const row = store.loadSdkApp(tx, ctx.project.id, id);
      removeRow(tx, 'sdk_apps', id);
      recordSdkApp(tx, 'sdk_app.deleted', row, { installs: row.installCount });
    },
    { removes: true },
  );
}

/** Records the deletion of an SDK app that is deleted with its channel or project. */
export function recordRemovedSdkApp(tx: Tx, row: RawRow, author: Author): void {
  const sdkApp = {
    id: String(row.id),
    organizationId: String(row.organization_id),
    projectId: String(row.project_id),
    name: String(row.name),
  };
  recordSdkApp(tx, 'sdk_app.deleted', sdkApp, { installs: row.install_count }, author);
}

/** Returns a page of the installs of an SDK app, newest first. */
export function listSdkInstalls(ctx: ProjectContext, id: string, request: PageRequest): Page<SdkInstall> {
  store.loadSdkApp(ctx, ctx.project.id, id);
  return readPage(
    ctx,
    request,
    (before, limit) => listInstallRows(ctx, id, before, limit),
    (row) => toSdkInstall(row),
  );
}

function toSdkInstall({ install: row, report }: ListedInstall): SdkInstall {
  return {
    identifier: row.id,
    install_id: row.installId,
    bundle_identifier: row.bundleIdentifier,
    device_model: row.deviceModel,
    os_version: row.osVersion,
    version_name: row.versionName,
    build_number: row.buildNumber,
    enrolled_at: timestamp(row.enrolledAt),
    last_seen_at: timestamp(row.lastSeenAt),
    last_report:
      report === null
        ? null
        : {
            release_id: report.releaseId === '' ? null : report.releaseId,
            state: report.state,
            error: report.error,
            reported_at: timestamp(report.updatedAt),
          },
  };
}

type SdkAppEvent = 'sdk_app.created' | 'sdk_app.edited' | 'sdk_app.redundant' | 'sdk_app.revoked' | 'sdk_app.deleted';

function recordSdkApp(
  tx: Tx,
  event: SdkAppEvent,
  row: Pick<store.SdkAppRow, 'id' | 'organizationId' | 'projectId' | 'name'>,
  details: Record<string, unknown>,
  author?: Author,
): void {
  const { id, organizationId, projectId, name } = row;
  tx.record(event, { identifier: id, organizationId, projectId, details: { name, ...details }, author });
}
