// The screenshots of a project's app: added, ordered and deleted by its maintainers, and shown on install pages.
import type { Context, ProjectContext, Tx } from '../core/context.ts';
import { queueObjectDeletion } from '../core/object-deletion.ts';
import type { Reply } from '../http/reply.ts';
import { imageUrl, readImage, storePicture } from '../images/service.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { MAX_SCREENSHOTS } from './screenshot-limits.ts';
import type { Screenshot, Screenshots } from './screenshot-schema.ts';
import {
  deleteScreenshot,
  findScreenshot,
  insertScreenshot,
  listScreenshots,
  moveScreenshot,
  type ScreenshotRow,
} from './screenshot-store.ts';
import { loadProject } from './store.ts';

function toScreenshot(ctx: ProjectContext, row: ScreenshotRow): Screenshot {
  return {
    identifier: row.id,
    url: imageUrl(ctx, `/projects/${row.projectId}/screenshots/${row.id}`, imageOf(row)) ?? '',
    width: row.width,
    height: row.height,
    created_at: timestamp(row.createdAt),
  };
}

const imageOf = ({ imageKey, imageType }: Pick<ScreenshotRow, 'imageKey' | 'imageType'>) => ({
  iconKey: imageKey,
  iconType: imageType,
});

const idsOf = (rows: readonly ScreenshotRow[]) => rows.map(({ id }) => id);

/** Returns the screenshots in their order. */
export function readScreenshots(ctx: ProjectContext): Screenshots {
  return { items: listScreenshots(ctx, ctx.project.id).map((row) => toScreenshot(ctx, row)) };
}

/**
 * Adds a screenshot at the end. Throws `quota_exceeded` if there are as many as allowed, and `invalid_input` unless it is a
 * complete PNG, JPEG or WebP.
 */
export function addScreenshot(ctx: ProjectContext, bytes: Buffer): Promise<Screenshot> {
  requireRoom(listScreenshots(ctx, ctx.project.id));
  return storePicture(ctx, bytes, ({ iconKey, iconType, width, height }) =>
    ctx.transact((tx) => {
      const project = loadProject(tx, ctx.project.id);
      const rows = listScreenshots(tx, project.id);
      requireRoom(rows);
      const row: ScreenshotRow = {
        id: tx.ids.next(),
        projectId: project.id,
        position: (rows.at(-1)?.position ?? 0) + 1,
        imageKey: iconKey,
        imageType: iconType,
        width,
        height,
        createdAt: tx.now,
      };
      insertScreenshot(tx, row);
      recordChange(ctx, tx, idsOf(rows), [...idsOf(rows), row.id]);
      return toScreenshot(ctx, row);
    }),
  );
}

function requireRoom(rows: readonly ScreenshotRow[]): void {
  if (rows.length < MAX_SCREENSHOTS) return;
  throw new AppError('quota_exceeded', `A project can have at most ${MAX_SCREENSHOTS} screenshots`, {
    limit: MAX_SCREENSHOTS,
  });
}

/** Returns a screenshot as uploaded. Throws `not_found`. */
export function readScreenshot(ctx: ProjectContext, id: string): Promise<Reply> {
  const row = findScreenshot(ctx, ctx.project.id, id);
  if (row === undefined) throw notFound();
  return readScreenshotImage(ctx, row);
}

/** Returns the image of a screenshot. The caller's access must have been checked. */
export function readScreenshotImage(ctx: Context, row: ScreenshotRow): Promise<Reply> {
  return readImage(ctx, imageOf(row));
}

/** Changes the order. Throws `invalid_input` unless each screenshot of the project is named once. */
export function orderScreenshots(ctx: ProjectContext, ids: readonly string[]): Screenshots {
  return ctx.transact((tx) => {
    const before = idsOf(listScreenshots(tx, ctx.project.id));
    const isComplete = ids.length === before.length && before.every((id) => ids.includes(id));
    if (!isComplete) {
      throw new AppError('invalid_input', '`screenshot_ids` must contain each screenshot of the project once', {
        field: 'screenshot_ids',
      });
    }
    if (before.some((id, index) => id !== ids[index])) {
      for (const [index, id] of ids.entries()) moveScreenshot(tx, id, index + 1);
      recordChange(ctx, tx, before, ids);
    }
    return readScreenshots({ ...ctx, ...tx });
  });
}

/** Deletes a screenshot. Throws `not_found`. */
export function removeScreenshot(ctx: ProjectContext, id: string): void {
  ctx.transact((tx) => {
    const row = findScreenshot(tx, ctx.project.id, id);
    if (row === undefined) throw notFound();
    const before = idsOf(listScreenshots(tx, row.projectId));
    deleteScreenshot(tx, id);
    queueObjectDeletion(tx, [row.imageKey]);
    recordChange(
      ctx,
      tx,
      before,
      before.filter((one) => one !== id),
    );
  });
}

function recordChange(
  { organization, project }: ProjectContext,
  tx: Tx,
  from: readonly string[],
  to: readonly string[],
) {
  tx.record('project.edited', {
    identifier: project.id,
    organizationId: organization.id,
    projectId: project.id,
    details: { changed: { screenshots: { from, to } } },
  });
}
