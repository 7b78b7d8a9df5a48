// Short addresses of channels: `/i/{slug}`, unique on the server. A former slug redirects to its channel for a year.
import { and, asc, eq, gt, inArray, lte } from 'drizzle-orm';
import type { App, Context, Tx } from '../core/context.ts';
import { channels, formerSlugs } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';

type Db = Pick<App, 'db' | 'clock'>;

export const FORMER_SLUG_LIFETIME_MS = 365 * DAY;
/** More aren't kept for a channel: the oldest are released. */
const MAX_FORMER = 20;

/** Returns the channel of a slug and the current slug of that channel; undefined if no channel has or had it. */
export function resolveSlug(app: Db, slug: string): { channelId: string; slug: string | null } | undefined {
  const current = app.db.select({ id: channels.id }).from(channels).where(eq(channels.slug, slug)).get();
  if (current !== undefined) return { channelId: current.id, slug };
  return app.db
    .select({ channelId: formerSlugs.channelId, slug: channels.slug })
    .from(formerSlugs)
    .innerJoin(channels, eq(channels.id, formerSlugs.channelId))
    .where(and(eq(formerSlugs.slug, slug), gt(formerSlugs.retiredAt, endOf(app.clock.now().getTime()))))
    .get();
}

/** Former slugs that were retired before this time are free. */
function endOf(now: number): number {
  return now - FORMER_SLUG_LIFETIME_MS;
}

/**
 * Reserves a slug for a channel and retires the one that it had. The caller stores it. Throws `already_exists` if another channel
 * has it, or had it within a year.
 */
export function claimSlug(tx: Tx, channel: { id: string; slug: string | null }, slug: string | null): void {
  if (slug !== null) {
    const owner = resolveSlug(tx, slug);
    if (owner !== undefined && owner.channelId !== channel.id) {
      throw new AppError('already_exists', `Another channel uses the short address ${slug}`, { field: 'slug' });
    }
    tx.db.delete(formerSlugs).where(eq(formerSlugs.slug, slug)).run();
  }
  if (channel.slug !== null) retire(tx, channel.id, channel.slug);
}

function retire(tx: Tx, channelId: string, slug: string): void {
  tx.db.insert(formerSlugs).values({ slug, channelId, retiredAt: tx.now }).run();
  const rows = tx.db
    .select({ slug: formerSlugs.slug })
    .from(formerSlugs)
    .where(eq(formerSlugs.channelId, channelId))
    .orderBy(asc(formerSlugs.retiredAt))
    .all();
  const over = rows.slice(0, Math.max(0, rows.length - MAX_FORMER)).map((row) => row.slug);
  if (over.length > 0) tx.db.delete(formerSlugs).where(inArray(formerSlugs.slug, over)).run();
}

/** Deletes up to `max` former slugs that no longer redirect. Returns the number deleted. */
export function deleteOldSlugs(ctx: Context, now: number, max: number): number {
  return ctx.transact(
    (tx) => {
      const old = tx.db
        .select({ slug: formerSlugs.slug })
        .from(formerSlugs)
        .where(lte(formerSlugs.retiredAt, endOf(now)))
        .limit(max);
      return tx.db.delete(formerSlugs).where(inArray(formerSlugs.slug, old)).run().changes;
    },
    { bookkeeping: true },
  );
}
