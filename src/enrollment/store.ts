// Queries for enrollment links and used challenges.
import { and, count, eq, gt, isNotNull, isNull, lte, or } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import { channels, deviceChallenges, deviceEnrollments, organizations } from '../data/tables/tables.ts';
import type { LockReason } from '../lib/lock-reasons.ts';

export type EnrollmentRow = typeof deviceEnrollments.$inferSelect;
type Db = Pick<App, 'db'>;

/** An enrollment with the required fields of its organization. */
export interface Enrollment extends EnrollmentRow {
  organizationName: string;
  organizationIconKey: string | null;
  organizationIconColor: string | null;
  lockReason: LockReason | null;
  lockAdvancesAt: number | null;
  /** Whether the channel of the link lets anyone with its link register a device; null for links without a channel. */
  isOpenToAll: boolean | null;
  slug: string | null;
}

const byToken = prepared((db) =>
  db
    .select({
      enrollment: deviceEnrollments,
      organizationName: organizations.name,
      organizationIconKey: organizations.iconKey,
      organizationIconColor: organizations.iconColor,
      lockReason: organizations.lockReason,
      lockAdvancesAt: organizations.lockAdvancesAt,
      isPublic: channels.isPublic,
      allowsDeviceRegistration: channels.allowsDeviceRegistration,
      slug: channels.slug,
    })
    .from(deviceEnrollments)
    .innerJoin(organizations, eq(organizations.id, deviceEnrollments.organizationId))
    .leftJoin(channels, eq(channels.id, deviceEnrollments.channelId))
    .where(eq(deviceEnrollments.tokenHash, placeholder('tokenHash')))
    .prepare(),
);

/**
 * Returns the enrollment of a link, also if it has expired, or undefined if it doesn't exist or was already deleted.
 */
export function findEnrollment(app: Db, tokenHash: string): Enrollment | undefined {
  const row = byToken(app).get({ tokenHash });
  if (row === undefined) return undefined;
  const { enrollment, isPublic, allowsDeviceRegistration, ...rest } = row;
  const isOpenToAll = isPublic === null ? null : isPublic && allowsDeviceRegistration === true;
  return { ...enrollment, ...rest, isOpenToAll };
}

/** Returns whether a link was created on the page of a public channel, where anyone can register. */
export function isForAnyone({ channelId, developerId }: Pick<EnrollmentRow, 'channelId' | 'developerId'>): boolean {
  return channelId !== null && developerId === null;
}

/** Returns the number of open links of an organization that its members and testers have created. */
export function countOpenEnrollments(app: Db, organizationId: string, now: number): number {
  const isOpen = and(
    eq(deviceEnrollments.organizationId, organizationId),
    gt(deviceEnrollments.expiresAt, now),
    or(isNull(deviceEnrollments.channelId), isNotNull(deviceEnrollments.developerId)),
  );
  return app.db.select({ total: count() }).from(deviceEnrollments).where(isOpen).get()?.total ?? 0;
}

/** Returns the number of open links of an organization for one person. */
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

/** Marks a challenge as used. Returns false if it already was. Of concurrent calls, only one gets true. */
export function consumeChallenge(tx: Tx, id: string, enrollmentId: string): boolean {
  const row = { id, enrollmentId, consumedAt: tx.now };
  return tx.db.insert(deviceChallenges).values(row).onConflictDoNothing().run().changes === 1;
}

/** Deletes the links that an account created or owns. */
export function endEnrollmentsOf(tx: Tx, developerId: string): void {
  const isTheirs = or(eq(deviceEnrollments.developerId, developerId), eq(deviceEnrollments.createdBy, developerId));
  tx.db.delete(deviceEnrollments).where(isTheirs).run();
}

/** Deletes up to `max` links that expired before a moment, with their challenges. Returns the number deleted. */
export function deleteEndedEnrollments(tx: Tx, before: number, max: number): number {
  return deleteUpTo(tx, deviceEnrollments.id, lte(deviceEnrollments.expiresAt, before), max);
}
