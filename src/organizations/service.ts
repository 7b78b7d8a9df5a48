// The rules of organizations.

import type { Context, DeveloperContext, OrganizationContext, Tx } from '../core/context.ts';
import { queueObjectDeletion } from '../core/object-deletion.ts';
import { removeRow } from '../core/removal.ts';
import { requireNewOrganizations } from '../flags/service.ts';
import { lockOf } from '../http/organization-lock.ts';
import type { Reply } from '../http/reply.ts';
import { type ColoredIcon, type ImageColumns, imageUrl, readImage, storeImage } from '../images/service.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import type { OrganizationRole } from '../permissions.ts';
import { countProjects } from '../projects/store.ts';
import { insertMembership } from './members/store.ts';
import type { Organization, OrganizationChange, OrganizationInput } from './schema.ts';
import {
  countCreatedOrganizations,
  findJoinedOrganization,
  insertOrganization,
  listJoinedOrganizations,
  loadOrganization,
  type OrganizationRow,
  updateOrganization,
} from './store.ts';

/** Converts an organization to its API shape. `role` is the caller's. */
function toOrganization(ctx: Context, row: OrganizationRow, role: OrganizationRole | undefined): Organization {
  return {
    identifier: row.id,
    name: row.name,
    tier: row.tier,
    role: role ?? null,
    has_icon: row.iconKey !== null,
    icon_url: imageUrl(ctx, `/organizations/${row.id}/icon`, row),
    email_sign_in_allowed: row.allowsEmailSignIn,
    lock_reason: ctx.config.billing.enabled ? lockOf(ctx, row) : null,
    created_at: timestamp(row.createdAt),
  };
}

/**
 * Creates an organization with its creator as the first admin. Returns its id. It counts toward the creator's limit as
 * long as it exists, even after leaving it. Throws `quota_exceeded`, and `operation_not_allowed`
 * if the operator has disabled creating organizations.
 */
export function createOrganization(ctx: DeveloperContext, input: OrganizationInput): string {
  return ctx.transact((tx) => {
    requireNewOrganizations(tx);
    return createOrganizationIn(tx, { name: input.name, developerId: ctx.actor.id });
  });
}

/**
 * Like createOrganization, but within a transaction and for any developer. Used by the first-run setup and the
 * operator's commands.
 */
export function createOrganizationIn(tx: Tx, { name, developerId }: { name: string; developerId: string }): string {
  const max = tx.config.limits.organizations_per_developer;
  if (countCreatedOrganizations(tx, developerId) >= max) {
    throw new AppError('quota_exceeded', `You can create at most ${max} organizations`, { limit: max });
  }
  const id = tx.ids.next();
  const tier = tx.config.plans.default_tier;
  insertOrganization(tx, { id, name, tier, createdBy: developerId, createdAt: tx.now });
  insertMembership(tx, { organizationId: id, developerId, role: 'admin', createdAt: tx.now });
  tx.record('organization.created', { identifier: id, organizationId: id, details: { name, tier } });
  tx.record('organization_membership.created', {
    identifier: developerId,
    organizationId: id,
    details: { developer_id: developerId, role: 'admin' },
  });
  for (const hook of tx.hooks.organizationCreated) hook(tx, id);
  return id;
}

/**
 * Returns the caller's organizations, newest first. A token gets only its own, and a personal one only while its owner
 * is a member.
 */
export function listOrganizations(ctx: Context): Organization[] {
  const { actor } = ctx;
  switch (actor.kind) {
    case 'developer':
      return listJoinedOrganizations(ctx, actor.id).map((row) => toOrganization(ctx, row, row.role));
    case 'personal_access_token': {
      const row = findJoinedOrganization(ctx, actor.organizationId, actor.developerId);
      return row === undefined ? [] : [toOrganization(ctx, row, row.role)];
    }
    case 'project_access_token':
      return [toOrganization(ctx, loadOrganization(ctx, actor.organizationId), undefined)];
    default:
      return [];
  }
}

/** Returns the organization of the request. */
export function readOrganization(ctx: OrganizationContext): Organization {
  return toOrganization(ctx, loadOrganization(ctx, ctx.organization.id), ctx.organization.role);
}

/**
 * Changes the name or the sign-in policy of the organization. Nothing is recorded if nothing changes. Throws
 * `operation_not_allowed` to people who would exclude their own session.
 */
export function changeOrganization(ctx: OrganizationContext, change: OrganizationChange): Organization {
  return ctx.transact((tx) => {
    const row = loadOrganization(tx, ctx.organization.id);
    const { name = row.name, email_sign_in_allowed: allowsEmailSignIn = row.allowsEmailSignIn } = change;
    const edits = {
      ...(name === row.name ? {} : { name: { from: row.name, to: name } }),
      ...(allowsEmailSignIn === row.allowsEmailSignIn
        ? {}
        : { email_sign_in_allowed: { from: row.allowsEmailSignIn, to: allowsEmailSignIn } }),
    };
    if (!allowsEmailSignIn && ctx.actor.kind === 'developer' && ctx.actor.isByEmail) {
      throw new AppError(
        'operation_not_allowed',
        'You are signed in by email. Sign in with a password, a passkey or single sign-on first',
      );
    }
    if (Object.keys(edits).length === 0) return toOrganization(ctx, row, ctx.organization.role);
    updateOrganization(tx, row.id, { name, allowsEmailSignIn });
    recordEdit(tx, row.id, edits);
    return toOrganization(ctx, { ...row, name, allowsEmailSignIn }, ctx.organization.role);
  });
}

/** Deletes an empty organization. Throws `dependency_exists` if it has projects. */
export function removeOrganization(ctx: OrganizationContext): void {
  ctx.transact(
    (tx) => {
      const row = loadOrganization(tx, ctx.organization.id);
      if (countProjects(tx, row.id) > 0) {
        throw new AppError('dependency_exists', 'The organization still has projects. Delete them first');
      }
      removeRow(tx, 'organizations', row.id);
      for (const hook of tx.hooks.organizationRemoved) hook(tx, row.id);
      queueObjectDeletion(tx, [row.iconKey]);
      tx.record('organization.deleted', { identifier: row.id, organizationId: row.id, details: { name: row.name } });
    },
    { removes: true },
  );
}

/** Stores the icon and replaces the previous one. Throws `invalid_input` unless it is a PNG, JPEG or WebP. */
export function setOrganizationIcon(ctx: OrganizationContext, bytes: Buffer): Promise<Organization> {
  return storeImage(ctx, bytes, (image) => ctx.transact((tx) => exchangeIcon(ctx, tx, image)));
}

/** Returns the icon as uploaded. Throws `not_found` if there is none. */
export function readOrganizationIcon(ctx: OrganizationContext): Promise<Reply> {
  return readImage(ctx, loadOrganization(ctx, ctx.organization.id));
}

/** Removes the icon. Throws `not_found` if there is none. */
export function removeOrganizationIcon(ctx: OrganizationContext): void {
  ctx.transact((tx) => {
    if (loadOrganization(tx, ctx.organization.id).iconKey === null) throw notFound();
    exchangeIcon(ctx, tx, { iconKey: null, iconType: null, iconColor: null });
  });
}

function exchangeIcon(ctx: OrganizationContext, tx: Tx, icon: ImageColumns & ColoredIcon): Organization {
  const row = loadOrganization(tx, ctx.organization.id);
  updateOrganization(tx, row.id, icon);
  queueObjectDeletion(tx, [row.iconKey]);
  recordEdit(tx, row.id, { icon: { from: row.iconType, to: icon.iconType } });
  return toOrganization(ctx, { ...row, ...icon }, ctx.organization.role);
}

function recordEdit(tx: Tx, id: string, changed: Record<string, { from: unknown; to: unknown }>): void {
  tx.record('organization.edited', { identifier: id, organizationId: id, details: { changed } });
}
