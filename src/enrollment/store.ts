// Rows of enrollment links, and of the challenges that were answered through them.
import { and, count, eq, gt, inArray, lte } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { deviceChallenges, deviceEnrollments, organizations } from '../data/tables/tables.ts';
import type { LockReason } from '../http/organization-lock.ts';

export type EnrollmentRow = typeof deviceEnrollments.$inferSelect;
type Db = Pick<App, 'db'>;

/** An enrollment with what it needs to know of its organization. */
export interface Enrollment extends EnrollmentRow {
  organizationName: string;
  lockReason: LockReason;
}

const byToken = prepared((db) =>
  db
    .select({
      enrollment: deviceEnrollments,
      organizationName: organizations.name,
      lockReason: organizations.lockReason,
    })
    .from(deviceEnrollments)
    .innerJoin(organizations, eq(organizations.id, deviceEnrollments.organizationId))
    .where(eq(deviceEnrollments.tokenHash, placeholder('tokenHash')))
    .prepare(),
);

/** The enrollment of a link, over or not; undefined when nobody made it, or when it was swept away. */
export function findEnrollment(app: Db, tokenHash: string): Enrollment | undefined {
  const row = byToken(app).get({ tokenHash });
  if (row === undefined) return undefined;
  const { enrollment, ...organization } = row;
  return { ...enrollment, ...organization };
}

/** How many links of an organization are open. */
export function countOpenEnrollments(app: Db, organizationId: string, now: number): number {
  const isOpen = and(eq(deviceEnrollments.organizationId, organizationId), gt(deviceEnrollments.expiresAt, now));
  return app.db.select({ total: count() }).from(deviceEnrollments).where(isOpen).get()?.total ?? 0;
}

/** How many links of an organization are open that are for one person. */
export function countOpenEnrollmentsOf(
  app: Db,
  { organizationId, developerId }: { organizationId: string; developerId: string },
  now: number,
): number {
  const isOpen = and(
    eq(deviceEnrollments.organizationId, organizationId),
    eq(deviceEnrollments.developerId, developerId),
    gt(deviceEnrollments.expiresAt, now),
  );
  return app.db.select({ total: count() }).from(deviceEnrollments).where(isOpen).get()?.total ?? 0;
}

export function insertEnrollment(tx: Tx, row: EnrollmentRow): void {
  tx.db.insert(deviceEnrollments).values(row).run();
}

/** Uses up a challenge; false when it was answered before. Of any number at once, one gets true. */
export function consumeChallenge(tx: Tx, id: string, enrollmentId: string): boolean {
  const row = { id, enrollmentId, consumedAt: tx.now };
  return tx.db.insert(deviceChallenges).values(row).onConflictDoNothing().run().changes === 1;
}

/** Removes up to `most` links that ended before a moment, with their challenges; answers how many. */
export function deleteEndedEnrollments(tx: Tx, before: number, most: number): number {
  const ended = tx.db
    .select({ id: deviceEnrollments.id })
    .from(deviceEnrollments)
    .where(lte(deviceEnrollments.expiresAt, before))
    .limit(most);
  return tx.db.delete(deviceEnrollments).where(inArray(deviceEnrollments.id, ended)).run().changes;
}
