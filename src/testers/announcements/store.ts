// Queries for the progress of release emails.
import { and, eq, inArray, isNotNull, isNull, lte } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';
import { releaseAnnouncements, releaseNotifications } from '../../data/tables/tables.ts';

export type AnnouncementRow = typeof releaseAnnouncements.$inferSelect;

export function insertAnnouncement(tx: Tx, releaseId: string): void {
  tx.db.insert(releaseAnnouncements).values({ releaseId, afterDeveloperId: '', mailed: 0, createdAt: tx.now }).run();
}

/** Returns an unfinished announcement, or undefined. */
export function findOpenAnnouncement({ db }: Pick<App, 'db'>, releaseId: string): AnnouncementRow | undefined {
  return db
    .select()
    .from(releaseAnnouncements)
    .where(and(eq(releaseAnnouncements.releaseId, releaseId), isNull(releaseAnnouncements.finishedAt)))
    .get();
}

export function updateAnnouncement(tx: Tx, releaseId: string, changes: Partial<AnnouncementRow>): void {
  tx.db.update(releaseAnnouncements).set(changes).where(eq(releaseAnnouncements.releaseId, releaseId)).run();
}

const claim = prepared((db) =>
  db
    .insert(releaseNotifications)
    .values({
      releaseId: placeholder('releaseId'),
      developerId: placeholder('developerId'),
      createdAt: placeholder('createdAt'),
    })
    .onConflictDoNothing()
    .prepare(),
);

/** Records that a person is emailed about a release. Returns false if they already were. */
export function claimNotification(tx: Tx, releaseId: string, developerId: string): boolean {
  return claim(tx).run({ releaseId, developerId, createdAt: tx.now }).changes === 1;
}

/** Returns unfinished announcements started before a moment. */
export function listStalled({ db }: Pick<App, 'db'>, before: number, limit: number): AnnouncementRow[] {
  const { createdAt, finishedAt } = releaseAnnouncements;
  return db
    .select()
    .from(releaseAnnouncements)
    .where(and(isNull(finishedAt), lte(createdAt, before)))
    .limit(limit)
    .all();
}

/** Deletes up to `max` notification rows of announcements finished before a moment. Returns the number deleted. */
export function deleteOldNotifications(tx: Tx, before: number, max: number): number {
  const { releaseId, finishedAt } = releaseAnnouncements;
  const ended = tx.db
    .select({ releaseId })
    .from(releaseAnnouncements)
    .where(and(isNotNull(finishedAt), lte(finishedAt, before)))
    .orderBy(finishedAt)
    .limit(max)
    .all();
  let gone = 0;
  for (const announcement of ended) {
    gone += forgetPeople(tx, announcement.releaseId, max - gone);
    // The announcement is deleted last, because the remaining rows couldn't be found without it.
    if (gone === max) break;
    gone += tx.db.delete(releaseAnnouncements).where(eq(releaseId, announcement.releaseId)).run().changes;
  }
  return gone;
}

function forgetPeople(tx: Tx, releaseId: string, max: number): number {
  const ofRelease = eq(releaseNotifications.releaseId, releaseId);
  const people = tx.db
    .select({ developerId: releaseNotifications.developerId })
    .from(releaseNotifications)
    .where(ofRelease)
    .limit(max);
  return tx.db
    .delete(releaseNotifications)
    .where(and(ofRelease, inArray(releaseNotifications.developerId, people)))
    .run().changes;
}
