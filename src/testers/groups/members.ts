// The rules for members of tester groups.

import type { OrganizationContext, Tx } from '../../core/context.ts';
import type { Page } from '../../core/paging.ts';
import { timestamp, timestampOrNull } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { claimChosenMail } from '../../mail/cooldowns.ts';
import { testerGrantMail } from '../../mail/templates/testers.ts';
import { findAccountByEmail, wayInOf } from '../account-lookup.ts';
import { noteRemoval } from '../join-links/removals.ts';
import { describeHolder, type PeopleRequest, personOf, readPeople } from '../people.ts';
import { describeTarget } from '../target.ts';
import * as store from './member-store.ts';
import type { TesterGroupMember } from './schema.ts';
import { loadGroup } from './store.ts';

const toMember = (row: store.ListedMember): TesterGroupMember => ({
  identifier: row.id,
  group_id: row.groupId,
  ...describeHolder(row),
  created_at: timestamp(row.createdAt),
  attached_at: timestampOrNull(row.attachedAt),
});

/**
 * Adds a person to a group: immediately if an account has the address, otherwise when one verifies it. Throws
 * `already_exists`.
 */
export function addGroupMember(ctx: OrganizationContext, groupId: string, email: string): TesterGroupMember {
  return ctx.transact((tx) => {
    loadGroup(tx, ctx.organization.id, groupId);
    const holder = findAccountByEmail(tx, email);
    const isThere = holder !== undefined && store.isInGroup(tx, groupId, holder.id);
    if (isThere || store.hasPendingMembership(tx, groupId, email)) {
      throw new AppError('already_exists', 'A member of the group already has this email address');
    }
    const row: store.MemberRow = {
      id: tx.ids.next(),
      groupId,
      email,
      developerId: holder?.id ?? null,
      createdAt: tx.now,
      attachedAt: holder === undefined ? null : tx.now,
    };
    store.insertGroupMember(tx, row);
    recordMember(tx, 'tester_group_member.created', ctx.organization.id, row);
    // A single email is enough for several groups of an organization.
    if (claimChosenMail(tx, `tester_group ${ctx.organization.id}`, email) === undefined) {
      sendNotice(tx, ctx.organization.id, row);
    }
    return toMember(loadMember(tx, groupId, row.id));
  });
}

function sendNotice(tx: Tx, organizationId: string, { email, developerId }: store.MemberRow): void {
  const { actor } = tx;
  const content = testerGrantMail(tx.config.server.base_url, {
    ...describeTarget(tx, { organizationId, projectId: null, channelId: null }),
    inviterName: actor.kind === 'developer' ? actor.displayName : null,
    wayIn: wayInOf(tx, { hasAccount: developerId !== null }),
  });
  tx.mail({ kind: 'tester_group', to: email, content });
}

/** Returns a page of a group's members, newest first. */
export function listGroupMembers(
  ctx: OrganizationContext,
  groupId: string,
  request: PeopleRequest,
): Promise<Page<TesterGroupMember>> {
  loadGroup(ctx, ctx.organization.id, groupId);
  const read = (before: string, limit: number) => store.listGroupMembers(ctx, groupId, before, limit);
  return readPeople(ctx, request, read, personOf, toMember);
}

/** Returns a member of a group. Throws `not_found`. */
export function readGroupMember(ctx: OrganizationContext, groupId: string, id: string): TesterGroupMember {
  loadGroup(ctx, ctx.organization.id, groupId);
  return toMember(loadMember(ctx, groupId, id));
}

/** Removes a member from a group. Throws `not_found`. */
export function removeGroupMember(ctx: OrganizationContext, groupId: string, id: string): void {
  ctx.transact((tx) => {
    loadGroup(tx, ctx.organization.id, groupId);
    const row = loadMember(tx, groupId, id);
    store.deleteGroupMember(tx, id);
    noteRemoval(tx, { ...row, targetId: groupId, organizationId: ctx.organization.id });
    recordMember(tx, 'tester_group_member.deleted', ctx.organization.id, row);
  });
}

function loadMember(ctx: Pick<OrganizationContext, 'db'>, groupId: string, id: string): store.ListedMember {
  const row = store.findGroupMember(ctx, groupId, id);
  if (row === undefined) throw notFound();
  return row;
}

/** Records an event of a membership. When attached, it is also recorded in the audit trail of the new member. */
export function recordMember(
  tx: Tx,
  event: 'tester_group_member.created' | 'tester_group_member.attached' | 'tester_group_member.deleted',
  organizationId: string,
  { id, groupId, email, developerId }: store.MemberRow,
  attachedTo?: string,
): void {
  tx.record(event, {
    identifier: id,
    organizationId,
    ...(attachedTo === undefined ? {} : { developerId: attachedTo }),
    details: { group_id: groupId, email, developer_id: attachedTo ?? developerId },
  });
}
