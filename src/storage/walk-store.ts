// How far the walk over the stored objects has come under each prefix.
import { eq } from 'drizzle-orm';
import type { App } from '../core/context.ts';
import { objectWalks } from '../data/tables/tables.ts';

/** The key after which the walk goes on; undefined at the beginning. */
export function findWalkPosition({ db }: App, prefix: string): string | undefined {
  const after = db.select().from(objectWalks).where(eq(objectWalks.prefix, prefix)).get()?.after;
  return after === '' ? undefined : after;
}

/** Keeps where the walk goes on; without a key it starts over. */
export function keepWalkPosition({ db }: App, prefix: string, after = ''): void {
  db.insert(objectWalks)
    .values({ prefix, after })
    .onConflictDoUpdate({ target: objectWalks.prefix, set: { after } })
    .run();
}
