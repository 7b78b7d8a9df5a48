// Account deletion: the account is locked immediately and deleted after a grace period, during which its owner can
// cancel.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { App, Context, DeveloperContext, SteppedUpContext, Tx } from '../core/context.ts';
import { eraseLog } from '../core/log-erasure.ts';
import { queueObjectDeletion } from '../core/object-deletion.ts';
import { finishRemovals, removeRow } from '../core/removal.ts';
import { changeRoles, MAX_RECORDED } from '../core/role-changes.ts';
import { compactIfSmall } from '../data/erasure.ts';
import { deleteEmailCodes } from '../developers/email-codes.ts';
import { consumeLink, deadLink, endLinks, linkUrl, mintLink } from '../developers/links.ts';
import { type DeveloperRow, findDeveloper, loadDeveloper, updateDeveloper } from '../developers/store.ts';
import type { Reply } from '../http/reply.ts';
import { deleteInvitationsAcceptedBy } from '../invitations/store.ts';
import { DAY } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { clearCooldowns } from '../mail/cooldowns.ts';
import { deletionRequestedMail } from '../mail/templates/accounts.ts';
import { deleteMembership, hasOtherAdmin } from '../organizations/members/store.ts';
import { type JoinedOrganization, listJoinedOrganizations } from '../organizations/store.ts';
import { clearedCookies } from '../sessions/cookies.ts';
import { releaseGrants } from '../testers/pending-access.ts';
import * as store from './deletion-store.ts';
import { endSessions } from './email-verification.ts';

export const CANCEL_PATH = '/api/v1/developers/cancel_deletion';
const MAX_PER_RUN = 100;

/**
 * Rejects a deletion that can't be requested. Throws `not_found` for another account, and the errors of
 * requestDeletion.
 */
export function checkDeletion(ctx: DeveloperContext, id: string): void {
  if (id !== ctx.actor.id) throw notFound();
  refuseOnlyAdmin(ctx, id);
}

/**
 * Locks the account, ends its sessions, clears the caller's cookies and schedules the deletion. An email contains the
 * link that cancels it. Throws `operation_not_allowed` while the developer is the only admin of an organization.
 */
export function requestDeletion(ctx: SteppedUpContext): Reply {
  const { id } = ctx.actor;
  ctx.transact((tx) => {
    refuseOnlyAdmin(tx, id);
    const lifetimeMs = tx.config.accounts.deletion_grace_days * DAY;
    const dueAt = tx.now + lifetimeMs;
    // Recorded before the lock, because a locked account may not record it.
    tx.record('account_deletion.requested', {
      identifier: id,
      organizationId: null,
      developerId: id,
      details: { due_at: new Date(dueAt).toISOString() },
    });
    const lock = { lockedAt: tx.now, deletionDueAt: dueAt };
    const developer = changeRoles(tx, { developerId: id }, () => updateDeveloper(tx, id, lock));
    endLinks(tx, id, ['verify_email', 'password_reset', 'change_email', 'cancel_deletion', 'review_additions']);
    const token = mintLink(tx, { kind: 'cancel_deletion', developerId: id, email: developer.email, lifetimeMs });
    tx.mail({
      kind: 'deletion_requested',
      to: developer.email,
      content: deletionRequestedMail(linkUrl(tx, CANCEL_PATH, token), dueAt),
    });
    endSessions(tx, id);
  });
  return { isReply: true, headers: {}, cookies: clearedCookies(ctx), body: null };
}

/** Cancels a deletion. Of concurrent uses of the link, one succeeds. Throws `invalid_input` for an invalid link. */
export function cancelDeletion(ctx: Context, token: string): { status: 'active' } {
  ctx.transact((tx) => {
    const link = consumeLink(tx, 'cancel_deletion', token);
    if (link === undefined || loadDeveloper(tx, link.developerId).deletionDueAt === null) throw deadLink();
    updateDeveloper(tx, link.developerId, { lockedAt: null, deletionDueAt: null });
    tx.record('account_deletion.cancelled', {
      identifier: link.developerId,
      organizationId: null,
      developerId: link.developerId,
    });
  });
  return { status: 'active' };
}

function refuseOnlyAdmin(app: Pick<App, 'db'>, id: string): void {
  const alone = store.listAdministered(app, id).filter((row) => !hasOtherAdmin(app, row.id, id));
  if (alone.length === 0) return;
  throw new AppError(
    'operation_not_allowed',
    `You are the only admin of ${alone.map((row) => row.name).join(', ')}. Make another member an admin first`,
    { organization_ids: alone.map((row) => row.id) },
  );
}

/**
 * Deletes the accounts whose grace period has ended, in steps, and finishes other pending deletions. Returns the number
 * of accounts.
 */
export async function deleteDueAccounts(ctx: Context): Promise<number> {
  let deleted = 0;
  for (const { id } of store.listDueAccounts(ctx, ctx.clock.time(), MAX_PER_RUN)) {
    const isDeleted = ctx.transact(
      (tx) => {
        // A command of the operator may have deleted it since the query.
        const developer = findDeveloper(tx, id);
        if (developer === undefined) return false;
        deleteAccount(tx, developer);
        return true;
      },
      { removes: true },
    );
    if (isDeleted) deleted += 1;
    await yieldToOthers();
  }
  await finishRemovals(ctx);
  if (deleted > 0) {
    compactIfSmall(ctx);
    await eraseLog(ctx);
  }
  return deleted;
}

/**
 * Deletes an account, in a transaction that `removes`. Everything it owned is deleted, and the end of its memberships is
 * recorded. Builds, releases, downloads and the audit trails of its organizations stay, without its name. Its own trail and its emails are personal and are
 * deleted too.
 */
export function deleteAccount(tx: Tx, { id, email, emailVerifiedAt, avatarKey }: DeveloperRow): void {
  queueObjectDeletion(tx, [avatarKey]);
  releaseGrants(tx, { id, emailVerifiedAt });
  clearCooldowns(tx, email);
  deleteEmailCodes(tx, email);
  deleteInvitationsAcceptedBy(tx, id);
  // Emails to an address that was never verified may belong to another person.
  const address = emailVerifiedAt === null ? null : email;
  const joined = listJoinedOrganizations(tx, id);
  for (const organization of joined.slice(0, MAX_RECORDED)) endMembership(tx, organization, id);
  removeRow(tx, 'developers', id, { address, nextMailId: tx.ids.next() });
  for (const { id: rest } of joined.slice(MAX_RECORDED)) for (const hook of tx.hooks.membersChanged) hook(tx, rest);
  tx.record('developer.deleted', { identifier: id, organizationId: null, developerId: null });
}

/** Ends a membership of a deleted account. Its organization would find no other trace of it. */
function endMembership(tx: Tx, { id: organizationId, role }: JoinedOrganization, developerId: string): void {
  const projectIds = deleteMembership(tx, organizationId, developerId);
  tx.record('organization_membership.deleted', {
    identifier: developerId,
    organizationId,
    developerId: null,
    details: { developer_id: developerId, role, project_ids: projectIds, reason: 'account_deleted' },
  });
}
