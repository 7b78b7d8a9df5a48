// Queries for feedback, its pictures and replies.
import { and, asc, desc, eq, gt, inArray, lt, type SQL } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { developers, feedback, feedbackPictures, feedbackReplies } from '../data/tables/tables.ts';
import { notFound } from '../lib/errors.ts';
import { MAX_PER_PROJECT } from './limits.ts';
import type { FeedbackFilters } from './schema.ts';

type Db = Pick<App, 'db'>;
export type FeedbackRow = typeof feedback.$inferSelect;
export type PictureRow = typeof feedbackPictures.$inferSelect;
export type ReplyRow = typeof feedbackReplies.$inferSelect;

/** Feedback with the account of its author. */
export interface ListedFeedback extends FeedbackRow {
  author: { displayName: string; email: string; emailVerifiedAt: number | null } | null;
}

const projectTotal = prepared((db) =>
  db.$client.prepare<[string, number], { items: number; bytes: number }>(
    `SELECT count(*) AS items, coalesce(sum(picture_bytes), 0) AS bytes
      FROM (SELECT picture_bytes FROM feedback WHERE project_id = ? LIMIT ?)`,
  ),
);

/** Returns how much feedback a project has, and the bytes of its pictures. Reads at most as many index entries as a project may have. */
export function readTotal(app: Db, projectId: string): { items: number; bytes: number } {
  return projectTotal(app).get(projectId, MAX_PER_PROJECT) ?? { items: 0, bytes: 0 };
}

/** Returns how much a person or an install has sent after a moment, counted up to `most`. */
export function countSince(
  { db }: Db,
  sender: { developerId: string } | { sdkInstallId: string },
  since: number,
  most: number,
): number {
  const isSender =
    'developerId' in sender
      ? eq(feedback.developerId, sender.developerId)
      : eq(feedback.sdkInstallId, sender.sdkInstallId);
  return db
    .select({ id: feedback.id })
    .from(feedback)
    .where(and(isSender, gt(feedback.createdAt, since)))
    .limit(most)
    .all().length;
}

export function insertFeedback(tx: Tx, row: FeedbackRow, pictures: readonly PictureRow[]): void {
  tx.db.insert(feedback).values(row).run();
  for (const picture of pictures) tx.db.insert(feedbackPictures).values(picture).run();
}

const authorColumns = {
  displayName: developers.displayName,
  email: developers.email,
  emailVerifiedAt: developers.emailVerifiedAt,
};

function matches({ state, release_id: releaseId, source }: FeedbackFilters): SQL | undefined {
  return and(
    state === undefined ? undefined : eq(feedback.state, state),
    releaseId === undefined ? undefined : eq(feedback.releaseId, releaseId),
    source === undefined ? undefined : eq(feedback.source, source),
  );
}

/** Returns a page of a project's feedback, newest first. */
export function listFeedback(
  { db }: Db,
  projectId: string,
  filters: FeedbackFilters,
  before: string,
  limit: number,
): ListedFeedback[] {
  return db
    .select({ row: feedback, author: authorColumns })
    .from(feedback)
    .leftJoin(developers, eq(developers.id, feedback.developerId))
    .where(and(eq(feedback.projectId, projectId), matches(filters), lt(feedback.id, before)))
    .orderBy(desc(feedback.id))
    .limit(limit)
    .all()
    .map(({ row, author }) => ({ ...row, author }));
}

/** Returns feedback of a project. Throws `not_found` if it doesn't exist there. */
export function loadFeedback({ db }: Db, projectId: string, id: string): ListedFeedback {
  const found = db
    .select({ row: feedback, author: authorColumns })
    .from(feedback)
    .leftJoin(developers, eq(developers.id, feedback.developerId))
    .where(eq(feedback.id, id))
    .get();
  if (found === undefined || found.row.projectId !== projectId) throw notFound();
  return { ...found.row, author: found.author };
}

/** Returns the pictures of some feedback, in their order. */
export function listPictures({ db }: Db, feedbackIds: readonly string[]): PictureRow[] {
  if (feedbackIds.length === 0) return [];
  return db
    .select()
    .from(feedbackPictures)
    .where(inArray(feedbackPictures.feedbackId, [...feedbackIds]))
    .orderBy(asc(feedbackPictures.feedbackId), asc(feedbackPictures.position))
    .all();
}

/** Returns the replies to some feedback with the names of their authors, oldest first. */
export function listReplies({ db }: Db, feedbackIds: readonly string[]): (ReplyRow & { authorName: string | null })[] {
  if (feedbackIds.length === 0) return [];
  return db
    .select({ row: feedbackReplies, authorName: developers.displayName })
    .from(feedbackReplies)
    .leftJoin(developers, eq(developers.id, feedbackReplies.developerId))
    .where(inArray(feedbackReplies.feedbackId, [...feedbackIds]))
    .orderBy(asc(feedbackReplies.feedbackId), asc(feedbackReplies.id))
    .all()
    .map(({ row, authorName }) => ({ ...row, authorName }));
}

export function insertReply(tx: Tx, row: ReplyRow): void {
  tx.db.insert(feedbackReplies).values(row).run();
}

export function changeState(tx: Tx, id: string, state: FeedbackRow['state']): void {
  tx.db.update(feedback).set({ state, stateChangedAt: tx.now }).where(eq(feedback.id, id)).run();
}

/** Returns the keys that a picture refers to, of those given. */
export function findPicturesInUse({ db }: Db, keys: readonly string[]): ReadonlySet<string> {
  const rows = db
    .select({ key: feedbackPictures.imageKey })
    .from(feedbackPictures)
    .where(inArray(feedbackPictures.imageKey, [...keys]))
    .all();
  return new Set(rows.map(({ key }) => key));
}
