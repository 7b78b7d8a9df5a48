// The rules for granting tester access: immediately if an account has the address, otherwise when one verifies it.

import { deleteAccessRequests } from '../../channels/access-requests.ts';
import { developerIdOf } from '../../core/actor.ts';
import type { Context, Tx } from '../../core/context.ts';
import type { Page } from '../../core/paging.ts';
import type { EventName } from '../../events.ts';
import { MINUTE, timestamp, timestampOrNull } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { claimChosenMail, claimSenderMail, emailedTooOften, recordMail } from '../../mail/cooldowns.ts';
import { testerGrantMail } from '../../mail/templates/testers.ts';
import { findAccountByEmail, wayInOf } from '../account-lookup.ts';
import { noteRemoval } from '../join-links/removals.ts';
import { describeHolder, type PeopleRequest, personOf, readPeople } from '../people.ts';
import { describeTarget, type Target, targetIdOf, tierOf } from '../target.ts';
import type { TesterGrant } from './schema.ts';
import * as store from './store.ts';

function toGrant(row: store.ListedGrant): TesterGrant {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    ...describeHolder(row),
    granted_by_developer_id: row.grantedBy,
    created_at: timestamp(row.createdAt),
    attached_at: timestampOrNull(row.attachedAt),
    notified_at: timestamp(row.notifiedAt),
  };
}

/**
 * Grants a person tester access to an organization or project and emails them. Throws `already_exists` if they already
 * have exactly this access, or if it is pending.
 */
export function addTester(ctx: Context, target: Target, email: string): TesterGrant {
  return ctx.transact((tx) => {
    const holder = findAccountByEmail(tx, email);
    const isThere = holder !== undefined && store.isGranted(tx, target, holder.id);
    if (isThere || store.isPending(tx, target, email)) {
      throw new AppError('already_exists', 'A tester with this email address already exists');
    }
    // Removing and granting access repeatedly must not send an email each time.
    const kind = `tester_grant ${targetIdOf(target)}`;
    const withheldAt = claimChosenMail(tx, kind, email);
    const notifiedAt = withheldAt ?? tx.now;
    const row = createGrant(tx, target, { email, developerId: holder?.id ?? null, notifiedAt });
    if (withheldAt === undefined) sendNotice(tx, row);
    return readBack(tx, target, row.id);
  });
}

interface NewGrant {
  email: string;
  developerId: string | null;
  joinLinkId?: string | null;
  /** Time of the email about it. Default: now. */
  notifiedAt?: number;
}

/** Saves a grant and records its event. What its holder asked for within the target is done. */
export function createGrant(
  tx: Tx,
  target: Target,
  { email, developerId, joinLinkId = null, notifiedAt = tx.now }: NewGrant,
): store.GrantRow {
  const row: store.GrantRow = {
    id: tx.ids.next(),
    ...target,
    targetId: targetIdOf(target),
    email,
    developerId,
    grantedBy: developerIdOf(tx.actor),
    createdAt: tx.now,
    attachedAt: developerId === null ? null : tx.now,
    notifiedAt,
    joinLinkId,
  };
  store.insertGrant(tx, row);
  if (developerId !== null) deleteAccessRequests(tx, developerId, target);
  recordGrant(tx, `${tierOf(target)}_tester_grant.created`, row);
  return row;
}

/** Returns a page of the grants for exactly this target, newest first. */
export function listTesters(ctx: Context, target: Target, request: PeopleRequest): Promise<Page<TesterGrant>> {
  const read = (before: string, limit: number) => store.listGrants(ctx, target, before, limit);
  return readPeople(ctx, request, read, personOf, toGrant);
}

/** Returns a grant for exactly this target. Throws `not_found` for any other. */
export function readTester(ctx: Context, target: Target, id: string): TesterGrant {
  return readBack(ctx, target, id);
}

/**
 * Resends the email about a pending grant. Throws `rate_limit_exceeded` during the cooldown after the last email, and
 * `not_found` if it isn't pending.
 */
export function notifyTester(ctx: Context, target: Target, id: string): TesterGrant {
  return ctx.transact((tx) => {
    const row = loadGrant(tx, target, id);
    if (row.developerId !== null) throw notFound();
    const cooldown = tx.config.limits.tester_notification_resend_minutes * MINUTE;
    if (!store.renewNotice(tx, id, tx.now - cooldown)) {
      throw emailedTooOften(tx, row.notifiedAt + cooldown, 'The tester was just emailed. You can resend the email');
    }
    const limit = claimSenderMail(tx, row.email);
    if (limit !== undefined) {
      const message = 'You just had this person emailed many times. You can resend the email';
      throw emailedTooOften(tx, limit.availableAt, message);
    }
    recordMail(tx, `tester_grant ${targetIdOf(target)}`, row.email);
    sendNotice(tx, row);
    recordGrant(tx, `${row.projectId === null ? 'organization' : 'project'}_tester_grant.notified`, row);
    return readBack(tx, target, id);
  });
}

/** Removes access. Existing install links stop working. Throws `not_found`. */
export function removeTester(ctx: Context, target: Target, id: string): void {
  ctx.transact((tx) => {
    const row = loadGrant(tx, target, id);
    store.deleteGrant(tx, id);
    noteRemoval(tx, row);
    recordGrant(tx, `${tierOf(target)}_tester_grant.deleted`, row);
  });
}

function loadGrant(ctx: Context, target: Target, id: string): store.ListedGrant {
  const row = store.findGrant(ctx, target, id);
  if (row === undefined) throw notFound();
  return row;
}

function readBack(ctx: Context, target: Target, id: string): TesterGrant {
  return toGrant(loadGrant(ctx, target, id));
}

function sendNotice(tx: Tx, row: store.GrantRow): void {
  const { actor } = tx;
  const content = testerGrantMail(tx.config.server.base_url, {
    ...describeTarget(tx, row),
    inviterName: actor.kind === 'developer' ? actor.displayName : null,
    wayIn: wayInOf(tx, { hasAccount: row.developerId !== null }),
  });
  tx.mail({ kind: 'tester_grant', to: row.email, content });
}

/** Records an event of a grant. When attached, it is also recorded in the audit trail of the new holder. */
export function recordGrant(tx: Tx, event: EventName, row: store.GrantRow, developerId?: string): void {
  const { id: identifier, organizationId, projectId, channelId, email } = row;
  const place = {
    ...(projectId === null ? {} : { project_id: projectId }),
    ...(channelId === null ? {} : { channel_id: channelId }),
  };
  tx.record(event, {
    identifier,
    organizationId,
    projectId,
    ...(developerId === undefined ? {} : { developerId }),
    details: { email, ...place, developer_id: developerId ?? row.developerId },
  });
}
