// The containers of deleted organizations. Their objects are deleted like all others; in a container that can't be used anymore,
// they are abandoned after 30 days, and after 90 days in one that rejects deletions: nothing is deleted there, and their records
// are removed.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context } from '../../core/context.ts';
import { DAY } from '../../lib/clock.ts';
import * as store from './container-store.ts';

const ABANDONED_AFTER_MS = 30 * DAY;
/** For blobs that the container doesn't let anyone delete, for example because of an immutability policy. */
const KEPT_AFTER_MS = 90 * DAY;
const OBJECTS_PER_STEP = 500;

/** Deletes the rows of containers that have no object anymore, and abandons those whose time is up. */
export async function cleanUpAbandoned(ctx: Context): Promise<void> {
  ctx.transact((tx) => void store.deleteEmptied(tx), { bookkeeping: true });
  ctx.transact((tx) => store.saveOrphaned(tx), { bookkeeping: true });
  const now = ctx.clock.time();
  const times = { unreachable: now - ABANDONED_AFTER_MS, deleted: now - KEPT_AFTER_MS };
  for (const container of store.listAbandoned(ctx, times)) await abandon(ctx, container);
}

/** Interrupted at any step, the next run continues: the row is deleted with the last objects. */
async function abandon(ctx: Context, { id, account, container, unreachableReason: reason }: store.ContainerRow) {
  let objects = 0;
  for (;;) {
    const count = ctx.transact((tx) => store.forgetObjects(tx, id, OBJECTS_PER_STEP), { bookkeeping: true });
    objects += count;
    if (count < OBJECTS_PER_STEP) break;
    await yieldToOthers();
  }
  ctx.transact((tx) => {
    if (!store.deleteContainer(tx, id)) return;
    const details = { account, container, objects, ...(reason === null ? {} : { reason }) };
    tx.record('storage_backend.abandoned', { identifier: id, organizationId: null, details });
  });
  ctx.log.warn(
    { container: id, account, name: container, objects },
    'the container of a deleted organization was abandoned',
  );
}
