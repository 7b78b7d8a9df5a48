// Queries for the screenshots of projects.
import { asc, eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { projectScreenshots } from '../data/tables/tables.ts';
import { MAX_SCREENSHOTS } from './screenshot-limits.ts';

type Db = Pick<App, 'db'>;
export type ScreenshotRow = typeof projectScreenshots.$inferSelect;

const ofProject = prepared((db) =>
  db
    .select()
    .from(projectScreenshots)
    .where(eq(projectScreenshots.projectId, placeholder('projectId')))
    .orderBy(asc(projectScreenshots.position))
    .limit(MAX_SCREENSHOTS)
    .prepare(),
);

const byId = prepared((db) =>
  db
    .select()
    .from(projectScreenshots)
    .where(eq(projectScreenshots.id, placeholder('id')))
    .prepare(),
);

/** Returns the screenshots of a project in their order. */
export function listScreenshots(app: Db, projectId: string): ScreenshotRow[] {
  return ofProject(app).all({ projectId });
}

/** Returns the screenshot if it belongs to the project. */
export function findScreenshot(app: Db, projectId: string, id: string): ScreenshotRow | undefined {
  const row = byId(app).get({ id });
  return row?.projectId === projectId ? row : undefined;
}

export function insertScreenshot(tx: Tx, row: ScreenshotRow): void {
  tx.db.insert(projectScreenshots).values(row).run();
}

export function moveScreenshot(tx: Tx, id: string, position: number): void {
  tx.db.update(projectScreenshots).set({ position }).where(eq(projectScreenshots.id, id)).run();
}

export function deleteScreenshot(tx: Tx, id: string): void {
  tx.db.delete(projectScreenshots).where(eq(projectScreenshots.id, id)).run();
}
