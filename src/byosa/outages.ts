// Outages of the containers of organizations: recorded at the first failed request, verified by a job, reported to the admins if
// they last, and ended by a check that does everything builds need. Nothing is deleted because of an outage.
import type { Context, Tx } from '../core/context.ts';
import { REMOVE_OBJECTS_JOB } from '../core/object-deletion.ts';
import { StorageError } from '../core/storage.ts';
import { DAY, MINUTE } from '../lib/clock.ts';
import { mailOnce } from '../mail/cooldowns.ts';
import { storageReachableMail, storageUnreachableMail } from '../mail/templates/organizations.ts';
import { listAdminAddresses } from '../organizations/members/store.ts';
import * as store from '../storage/azure/container-store.ts';
import { describeOutage } from '../storage/azure/containers.ts';

/** Kind of the job that verifies whether a container can be used. */
export const CHECK_CONTAINER_JOB = 'check-container';
/** Containers wait for deadlines of seconds, which must not delay other jobs. */
export const CHECK_CONTAINER_LANE = 'containers';

/** Shorter outages are only shown. */
const REPORTED_AFTER_MS = 5 * MINUTE;
const MAILED_AGAIN_AFTER_MS = DAY;
const MIN_PAUSE_MS = MINUTE;
const MAX_PAUSE_MS = 30 * MINUTE;

function enqueueCheck(tx: Tx, id: string, delayMs: number): void {
  const job = { kind: CHECK_CONTAINER_JOB, payload: { container_id: id }, dedupeKey: `${CHECK_CONTAINER_JOB} ${id}` };
  tx.enqueue({ ...job, delayMs });
}

/** Records that requests to a container fail. Further failures of the same outage change nothing. */
export function noteOutage(ctx: Context, id: string, failure: StorageError): void {
  // Requests that were running when the server stopped.
  if (!ctx.db.$client.open || store.findContainer(ctx, id)?.unreachableSince !== null) return;
  const reason = describeOutage(failure);
  ctx.transact(
    (tx) => {
      if (!store.saveUnreachable(tx, id, reason)) return;
      enqueueCheck(tx, id, MIN_PAUSE_MS);
    },
    { bookkeeping: true },
  );
  ctx.log.warn({ container: id, reason }, "an organization's container can't be used");
}

/** The job: verifies a container, and queues itself again until it can be used. */
export async function runCheckContainerJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  const id = String(payload.container_id);
  if (store.findContainer(ctx, id) === undefined) return;
  const failure = await ctx.storage.probe(id).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof StorageError) return error;
      throw error;
    },
  );
  if (!ctx.db.$client.open) return;
  const row = store.findContainer(ctx, id);
  if (row === undefined || row.unreachableSince === null) return;
  if (failure === undefined) endOutage(ctx, row);
  else continueOutage(ctx, row, row.unreachableSince, describeOutage(failure));
}

function continueOutage(ctx: Context, row: store.ContainerRow, since: number, reason: string): void {
  const { id, organizationId } = row;
  const elapsed = ctx.clock.time() - since;
  const isDue = row.reportedAt === null && elapsed >= REPORTED_AFTER_MS;
  const again = (tx: Tx): void => {
    store.saveReason(tx, id, reason);
    const untilReport = row.reportedAt === null && !isDue ? REPORTED_AFTER_MS - elapsed : MAX_PAUSE_MS;
    enqueueCheck(tx, id, Math.min(Math.max(elapsed / 2, MIN_PAUSE_MS), untilReport));
  };
  if (!isDue) {
    ctx.transact(again, { bookkeeping: true });
    return;
  }
  ctx.transact((tx) => {
    again(tx);
    const isMailed =
      organizationId !== null && (row.mailedAt === null || tx.now - row.mailedAt >= MAILED_AGAIN_AFTER_MS);
    store.saveReported(tx, id, isMailed);
    record(tx, 'storage_backend.unreachable', row, { reason });
    if (!isMailed) return;
    for (const { email, organizationName } of listAdminAddresses(tx, organizationId)) {
      mailOnce(tx, 'storage_unreachable', email, () =>
        storageUnreachableMail(tx.config.server.base_url, { organizationName, ...row, reason }),
      );
    }
  });
}

/** Ends an outage. Admins who got an email about it get one about its end. */
function endOutage(ctx: Context, row: store.ContainerRow): void {
  const { id, organizationId, reportedAt, mailedAt } = row;
  if (reportedAt === null) {
    ctx.transact((tx) => markReachable(tx, id), { bookkeeping: true });
    return;
  }
  ctx.transact((tx) => {
    markReachable(tx, id);
    record(tx, 'storage_backend.reachable', row, {});
    if (organizationId === null || mailedAt !== reportedAt) return;
    for (const { email, organizationName } of listAdminAddresses(tx, organizationId)) {
      mailOnce(tx, 'storage_reachable', email, () =>
        storageReachableMail(tx.config.server.base_url, { organizationName, ...row }),
      );
    }
  });
}

/** Objects of builds that were deleted during the outage are deleted now. */
function markReachable(tx: Tx, id: string): void {
  store.saveReachable(tx, id);
  tx.enqueue({ kind: REMOVE_OBJECTS_JOB, dedupeKey: REMOVE_OBJECTS_JOB });
}

function record(
  tx: Tx,
  event: 'storage_backend.unreachable' | 'storage_backend.reachable',
  { id, organizationId, account, container }: store.ContainerRow,
  more: Record<string, unknown>,
): void {
  tx.record(event, { identifier: id, organizationId, details: { account, container, ...more } });
}

/** Returns the container for new packages of an organization. */
export function findActiveContainer(ctx: Pick<Context, 'db'>, organizationId: string): store.ContainerRow | undefined {
  return store.listContainers(ctx, organizationId).find(({ state }) => state === 'active');
}
