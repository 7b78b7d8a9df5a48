// How far the walk over the stored objects has come under each prefix.
import { eq } from 'drizzle-orm';
import type { App } from '../core/context.ts';
import { objectSweepPositions } from '../data/tables/tables.ts';

/** The key after which the walk goes on; undefined at the beginning. */
export function findSweepPosition({ db }: App, prefix: string): string | undefined {
  const after = db.select().from(objectSweepPositions).where(eq(objectSweepPositions.prefix, prefix)).get()?.after;
  return after === '' ? undefined : after;
}

/** Keeps where the walk goes on; without a key it starts over. */
export function saveSweepPosition({ db }: App, prefix: string, after = ''): void {
  db.insert(objectSweepPositions)
    .values({ prefix, after })
    .onConflictDoUpdate({ target: objectSweepPositions.prefix, set: { after } })
    .run();
}
