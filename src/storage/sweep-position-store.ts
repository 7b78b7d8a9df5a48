// The position of the scan of stored objects, by prefix.
import { eq } from 'drizzle-orm';
import type { App } from '../core/context.ts';
import { objectSweepPositions } from '../data/tables/tables.ts';

/** Returns the key after which the scan continues; undefined at the start. */
export function findSweepPosition({ db }: App, prefix: string): string | undefined {
  const after = db.select().from(objectSweepPositions).where(eq(objectSweepPositions.prefix, prefix)).get()?.after;
  return after === '' ? undefined : after;
}

/** Saves where the scan continues. Without a key, it starts over. */
export function saveSweepPosition({ db }: App, prefix: string, after = ''): void {
  db.insert(objectSweepPositions)
    .values({ prefix, after })
    .onConflictDoUpdate({ target: objectSweepPositions.prefix, set: { after } })
    .run();
}
