// Fans outbox events out to their subscribers.
import { isNull } from 'drizzle-orm';
import type { Context } from '../platform/context.ts';
import { outboxEvents } from '../platform/tables/tables.ts';

/** Marks every open event as fanned out. No subscription can exist yet, so none of them has a receiver. */
export function fanOutEvents(ctx: Context): void {
  ctx.transact(
    (tx) => tx.db.update(outboxEvents).set({ fannedOutAt: tx.now }).where(isNull(outboxEvents.fannedOutAt)).run(),
    { bookkeeping: true },
  );
}
