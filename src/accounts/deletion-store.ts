// Rows that the end of an account touches.
import { and, eq, isNotNull, isNull, lte } from 'drizzle-orm';
import type { App, Tx } from '../platform/context.ts';
import {
  auditCheckpoints,
  auditEvents,
  dataExports,
  developers,
  downloads,
  organizationMemberships,
  organizations,
  outboxMails,
} from '../platform/tables/tables.ts';
import type { DeveloperRow } from './store.ts';

type Db = Pick<App, 'db'>;

/** The organizations of which a developer is an administrator. */
export function listAdministered({ db }: Db, developerId: string): { id: string; name: string }[] {
  return db
    .select({ id: organizations.id, name: organizations.name })
    .from(organizationMemberships)
    .innerJoin(organizations, eq(organizations.id, organizationMemberships.organizationId))
    .where(and(eq(organizationMemberships.developerId, developerId), eq(organizationMemberships.role, 'admin')))
    .all();
}

/** Accounts whose grace period is over. */
export function listDueAccounts({ db }: Db, now: number, limit: number): DeveloperRow[] {
  return db
    .select()
    .from(developers)
    .where(and(isNotNull(developers.deletionDueAt), lte(developers.deletionDueAt, now)))
    .limit(limit)
    .all();
}

/** Keys of the export archives of a developer. */
export function listArchives({ db }: Db, developerId: string): (string | null)[] {
  const rows = db
    .select({ key: dataExports.objectKey })
    .from(dataExports)
    .where(eq(dataExports.developerId, developerId));
  return rows.all().map((row) => row.key);
}

/** Deletes the account, its own trail, the mails to its address if it is proven, and by reference everything it owned. */
export function deletePersonalRows(tx: Tx, developerId: string, provenAddress: string | null): void {
  const isPersonal = and(eq(auditEvents.developerId, developerId), isNull(auditEvents.organizationId));
  if (provenAddress !== null) tx.db.delete(outboxMails).where(eq(outboxMails.recipient, provenAddress)).run();
  tx.db.delete(auditEvents).where(isPersonal).run();
  // What a phone said of itself goes with the name; the download stays counted.
  tx.db.update(downloads).set({ userAgent: null }).where(eq(downloads.developerId, developerId)).run();
  tx.db.delete(auditCheckpoints).where(eq(auditCheckpoints.chain, developerId)).run();
  tx.db.delete(developers).where(eq(developers.id, developerId)).run();
}
