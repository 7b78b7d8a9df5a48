// The rules for share links: who creates them, and what they list.
import { loadBuild } from '../builds/store.ts';
import { loadChannel } from '../channels/store.ts';
import { responsibleIdOf } from '../core/actor.ts';
import type { ProjectContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { MAX_RECORDED, TAKEN_OVER } from '../core/role-changes.ts';
import { passwordsOf } from '../developers/password.ts';
import {
  countOpenShareLinks,
  insertShareLink,
  listShareLinks,
  revokeShareLinksOf,
  type ShareLink,
  type ShareLinkRow,
  type ShareTarget,
  takeShareLink,
} from '../install/share-links.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { fieldError } from '../lib/validation.ts';
import { expiryMoment } from '../tokens/expiry.ts';
import type { NewShareLink, ShareLinkInput, ShareLinkItem } from './schema.ts';

/** Links of one channel or build that are neither revoked nor expired. */
const MAX_OPEN_LINKS = 100;

/** Returns the URL of a share link. */
export function shareUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/s/${token}`;
}

function toItem({ row, state }: ShareLink): ShareLinkItem {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    channel_id: row.channelId,
    build_id: row.buildId,
    note: row.note,
    has_password: row.passwordHash !== null,
    expires_at: timestampOrNull(row.expiresAt),
    max_installs: row.maxInstalls,
    installs: row.installs,
    state,
    created_at: timestamp(row.createdAt),
    created_by: row.createdBy,
    revoked_at: timestampOrNull(row.revokedAt),
  };
}

/**
 * Creates a link to a channel or a build of the project. Only the response contains it. Throws `not_found` for a target of
 * another project, `operation_not_allowed` for a revoked build, and `quota_exceeded` if the target has too many open links.
 */
export async function createShareLink(ctx: ProjectContext, input: ShareLinkInput): Promise<NewShareLink> {
  const target = readTarget(input);
  requireTarget(ctx, target);
  const { password = null } = input;
  const passwordHash = password === null ? null : await passwordsOf(ctx).hash(password);
  return ctx.transact((tx) => {
    // The target may have been deleted or revoked during the hashing.
    tx.confirmAccess();
    requireTarget(ctx, target);
    if (countOpenShareLinks(tx, target) >= MAX_OPEN_LINKS) {
      const message = `A channel or build can have at most ${MAX_OPEN_LINKS} open share links. Revoke one first`;
      throw new AppError('quota_exceeded', message, { limit: MAX_OPEN_LINKS });
    }
    const token = tx.secrets.token();
    const row: ShareLinkRow = {
      id: tx.ids.next(),
      organizationId: ctx.organization.id,
      projectId: ctx.project.id,
      channelId: 'channelId' in target ? target.channelId : null,
      buildId: 'buildId' in target ? target.buildId : null,
      tokenHash: tx.secrets.hash(token),
      note: input.note ?? null,
      passwordHash,
      expiresAt: expiryMoment(tx, input.expires_at),
      maxInstalls: input.max_installs ?? null,
      installs: 0,
      createdBy: responsibleIdOf(tx.actor),
      createdAt: tx.now,
      revokedAt: null,
    };
    insertShareLink(tx, row);
    recordShareLink(tx, 'share_link.created', row);
    return { ...toItem({ id: row.id, row, state: 'active' }), url: shareUrl(tx.config.server.base_url, token) };
  });
}

function readTarget({ channel_id: channelId, build_id: buildId }: Pick<ShareLinkInput, 'channel_id' | 'build_id'>) {
  const targets: ShareTarget[] = [];
  if (channelId != null) targets.push({ channelId });
  if (buildId != null) targets.push({ buildId });
  const [target, other] = targets;
  if (target === undefined)
    throw fieldError('body', ['channel_id'], 'missing', 'Field required unless build_id is given');
  if (other !== undefined) {
    throw fieldError('body', ['build_id'], 'value_error', "Input can't be combined with channel_id");
  }
  return target;
}

function requireTarget(ctx: ProjectContext, target: ShareTarget): void {
  if ('channelId' in target) {
    loadChannel(ctx, ctx.project.id, target.channelId);
    return;
  }
  const build = loadBuild(ctx, ctx.project.id, target.buildId);
  if (build.revokedAt !== null) throw new AppError('operation_not_allowed', 'The build is revoked');
}

/** Returns a page of a project's links, newest first, including revoked and expired ones. */
export function readShareLinks(
  ctx: ProjectContext,
  { channel_id: channelId, build_id: buildId }: { channel_id?: string | undefined; build_id?: string | undefined },
  request: PageRequest,
): Page<ShareLinkItem> {
  if (channelId !== undefined && buildId !== undefined) {
    throw fieldError('query', ['build_id'], 'value_error', "Input can't be combined with channel_id");
  }
  const target = channelId !== undefined ? { channelId } : buildId !== undefined ? { buildId } : undefined;
  return readPage(
    ctx,
    request,
    (before, limit) => listShareLinks(ctx, ctx.project.id, target, { before, limit }),
    toItem,
  );
}

/** Revokes a link. It stays listed for 30 days. Revoking it again changes nothing. */
export function revokeShareLink(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => {
    const row = takeShareLink(tx, ctx.project.id, id);
    if (row !== undefined) recordShareLink(tx, 'share_link.revoked', row);
  });
}

/** Revokes the links of an account that another person may have created. */
export function endShareLinksOf(tx: Tx, developerId: string): void {
  for (const row of revokeShareLinksOf(tx, developerId).slice(0, MAX_RECORDED)) {
    recordShareLink(tx, 'share_link.revoked', row, { reason: TAKEN_OVER });
  }
}

/** Records an event of a link, without its token and password. */
function recordShareLink(
  tx: Tx,
  event: 'share_link.created' | 'share_link.revoked',
  row: ShareLinkRow,
  more: Record<string, unknown> = {},
): void {
  const details = {
    project_id: row.projectId,
    ...(row.channelId === null ? {} : { channel_id: row.channelId }),
    ...(row.buildId === null ? {} : { build_id: row.buildId }),
    ...(row.note === null ? {} : { note: row.note }),
    expires_at: timestampOrNull(row.expiresAt),
    max_installs: row.maxInstalls,
    has_password: row.passwordHash !== null,
    installs: row.installs,
    ...more,
  };
  tx.record(event, {
    identifier: row.id,
    organizationId: row.organizationId,
    projectId: row.projectId,
    details,
  });
}
