// Queries for feature flags.
import { and, eq, isNull } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { featureFlags } from '../data/tables/tables.ts';

type Db = Pick<App, 'db'>;
type FlagRow = typeof featureFlags.$inferSelect;

/** Returns all rows. There are few, because only the operator writes them. */
export function listFlags(app: Db): FlagRow[] {
  return app.db.select().from(featureFlags).orderBy(featureFlags.id).all();
}

const named = (key: string, organizationId: string | null) =>
  and(
    eq(featureFlags.key, key),
    organizationId === null ? isNull(featureFlags.organizationId) : eq(featureFlags.organizationId, organizationId),
  );

export function findFlag(app: Db, key: string, organizationId: string | null): FlagRow | undefined {
  return app.db.select().from(featureFlags).where(named(key, organizationId)).get();
}

/** Saves a flag's row. Returns its id. */
export function writeFlag(
  tx: Tx,
  key: string,
  organizationId: string | null,
  values: { enabled: boolean; archivedAt?: number | null },
): string {
  const found = findFlag(tx, key, organizationId);
  const id = found?.id ?? tx.ids.next();
  if (found === undefined)
    tx.db
      .insert(featureFlags)
      .values({ id, key, organizationId, ...values })
      .run();
  else tx.db.update(featureFlags).set(values).where(eq(featureFlags.id, id)).run();
  return id;
}
