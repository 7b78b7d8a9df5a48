// The operator's decisions on storage requests.
import type { Context, DeveloperContext } from '../core/context.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { line } from '../lib/shapes.ts';
import { activateContainer, leaveContainer } from '../storage/azure/containers.ts';
import { readSecret } from './access.ts';
import { findActiveContainer } from './outages.ts';
import { detailsOf, toRequest } from './requests.ts';
import { type OperatorRequest, requestStatuses } from './schema.ts';
import * as store from './store.ts';

const SHOWN = 100;
const MAX_REASON = 500;
const AFTER_ALL = 'g';

/** Returns requests, newest first. `open` leaves out those that were decided. */
export function listStorageRequests(
  ctx: Pick<Context, 'db' | 'config'>,
  { onlyOpen = false, limit = SHOWN }: { onlyOpen?: boolean; limit?: number } = {},
): { items: OperatorRequest[]; has_more: boolean } {
  const statuses = requestStatuses.filter((status) => !onlyOpen || (status !== 'approved' && status !== 'rejected'));
  const rows = store.listRequests(ctx, statuses, AFTER_ALL, limit + 1);
  const items = rows
    .slice(0, limit)
    .map(({ request, organizationName }) => ({ ...toRequest(ctx, request), organization_name: organizationName }));
  return { items, has_more: rows.length > limit };
}

/** Returns requests for the Server page. Throws `not_found` for people who aren't operators. */
export function readStorageRequests(ctx: DeveloperContext) {
  if (!ctx.actor.isOperator) throw notFound();
  return listStorageRequests(ctx);
}

/**
 * Approves a validated request: new packages of the organization go to its container. Throws `not_found`, and
 * `operation_not_allowed` unless the request awaits approval.
 */
export function approveRequest(ctx: Context, id: string): OperatorRequest {
  return decide(ctx, id, ['awaiting_approval'], { status: 'approved', clientSecretEncrypted: null });
}

/** Rejects a request with a reason for the organization. Throws `not_found`, and `operation_not_allowed` after a decision. */
export function rejectRequest(ctx: Context, id: string, reason: string): OperatorRequest {
  const given = line(MAX_REASON).safeParse(reason);
  if (!given.success)
    throw new AppError('invalid_input', `The reason must be one line of up to ${MAX_REASON} characters`);
  return decide(ctx, id, ['validating', 'validation_failed', 'awaiting_approval'], {
    status: 'rejected',
    rejectionReason: given.data,
    // It isn't needed anymore.
    clientSecretEncrypted: null,
  });
}

function decide(
  ctx: Context,
  id: string,
  from: readonly store.RequestRow['status'][],
  change: { status: 'approved' | 'rejected'; rejectionReason?: string; clientSecretEncrypted: null },
): OperatorRequest {
  return ctx.transact((tx) => {
    const row = store.loadRequestById(tx, id);
    if (!store.changeRequest(tx, id, from, { ...change, decidedAt: tx.now })) {
      const message =
        change.status === 'approved'
          ? `Only a request that passed validation can be approved; this one is ${row.status}`
          : `The request has been decided: ${row.status}`;
      throw new AppError('operation_not_allowed', message, { status: row.status });
    }
    const { organizationId } = row;
    if (change.status === 'approved') activateContainer(tx, { ...row, secret: readSecret(tx, row) });
    const reason = change.rejectionReason === undefined ? {} : { reason: change.rejectionReason };
    const event = change.status === 'approved' ? 'storage_request.approved' : 'storage_request.rejected';
    tx.record(event, { identifier: id, organizationId, details: { ...detailsOf(row), ...reason } });
    const decided = { ...row, ...change, decidedAt: tx.now };
    const organizationName = store.findOrganizationName(tx, organizationId) ?? '';
    return { ...toRequest(tx, decided), organization_name: organizationName };
  });
}

/** Stores new packages of an organization on the server again. Throws `not_found` if they aren't stored in a container. */
export function leaveOwnStorage(ctx: Context, organizationId: string): { account: string; container: string } {
  return ctx.transact((tx) => {
    const active = findActiveContainer(tx, organizationId);
    if (active === undefined) throw notFound();
    const { id, account, container } = active;
    leaveContainer(tx, organizationId);
    tx.record('storage_backend.left', { identifier: id, organizationId, details: { account, container } });
    return { account, container };
  });
}
