// Short addresses of channels: `/i/{slug}`, unique on the server. A former slug redirects to its channel for a year.
import { asc, eq, inArray, lte } from 'drizzle-orm';
import type { App, Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { formerSlugs } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';

type Db = Pick<App, 'db' | 'clock'>;

const FORMER_SLUG_LIFETIME_MS = 365 * DAY;
/** More aren't kept for a channel: the oldest are released. */
const MAX_FORMER = 20;

interface SlugOwner {
  channelId: string;
  slug: string | null;
}

/** One query for current, former and unknown slugs, so that unknown ones take as long. */
const ownerOf = prepared((db) =>
  db.$client.prepare<[{ slug: string; after: number }], SlugOwner>(`
  SELECT id AS channelId, slug, 0 AS isFormer FROM channels WHERE slug = +@slug
  UNION ALL
  SELECT f.channel_id, c.slug, 1 FROM former_slugs f JOIN channels c ON c.id = f.channel_id
   WHERE f.slug = +@slug AND f.retired_at > +@after
   ORDER BY isFormer LIMIT 1`),
);

/** Returns the channel of a slug and the current slug of that channel; undefined if no channel has or had it. */
export function resolveSlug(app: Db, slug: string): SlugOwner | undefined {
  const row = ownerOf(app).get({ slug, after: endOf(app.clock.time()) });
  return row && { channelId: row.channelId, slug: row.slug };
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
