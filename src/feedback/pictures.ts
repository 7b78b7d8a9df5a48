// The pictures of feedback: checked, without metadata, stored as objects of their own.
import type { Context, ObjectOwner, ProjectContext } from '../core/context.ts';
import { type Reply, reply } from '../http/reply.ts';
import { type PlainPicture, readPlainPicture } from '../images/service.ts';
import { notFound } from '../lib/errors.ts';
import { UUID_PATTERN } from '../lib/uuid.ts';
import { findPicturesInUse, listPictures, loadFeedback, type PictureRow } from './store.ts';

/** A picture whose object is stored. */
export interface StoredPicture extends Omit<PlainPicture, 'bytes'> {
  key: string;
  sizeBytes: number;
}

/**
 * Stores pictures and calls `keep` in a transaction to save them in rows. If anything throws, they are deleted again. Throws
 * `invalid_input` naming the part `pictures` for anything but complete images.
 */
export async function storePictures<Result>(
  ctx: Context,
  files: readonly Buffer[],
  keep: (pictures: StoredPicture[]) => Result,
): Promise<Result> {
  const checked: PlainPicture[] = [];
  for (const file of files) checked.push(await readPlainPicture(ctx, file, 'pictures'));
  const stored: StoredPicture[] = [];
  try {
    for (const { bytes, ...facts } of checked) {
      const key = `feedback/${ctx.ids.next()}`;
      stored.push({ ...facts, key, sizeBytes: bytes.length });
      await ctx.storage.put(key, bytes);
    }
    return keep(stored);
  } catch (error) {
    for (const { key } of stored) {
      await ctx.storage.delete(key).catch((failure: unknown) => {
        ctx.log.error({ err: failure, object_key: key }, 'picture without a row not deleted');
      });
    }
    throw error;
  }
}

const KEY = new RegExp(`^feedback/${UUID_PATTERN}$`);

/** The pictures of feedback. */
export const feedbackPictureObjects: ObjectOwner = {
  prefix: 'feedback/',
  findOrphans(app, keys) {
    const own = keys.filter((key) => KEY.test(key));
    const inUse = findPicturesInUse(app, own);
    return own.filter((key) => !inUse.has(key));
  },
};

/** Returns a picture to a member. Throws `not_found`. */
export async function readPicture(ctx: ProjectContext, feedbackId: string, pictureId: string): Promise<Reply> {
  loadFeedback(ctx, ctx.project.id, feedbackId);
  const row: PictureRow | undefined = listPictures(ctx, [feedbackId]).find(({ id }) => id === pictureId);
  const bytes = row === undefined ? undefined : await ctx.storage.get(row.imageKey);
  if (row === undefined || bytes === undefined) throw notFound();
  const ending = row.imageType.replace('image/', '').replace('jpeg', 'jpg');
  return reply(row.imageType, bytes, {
    'cache-control': 'private, max-age=86400, immutable',
    // Untrusted content on our origin: the app shows it in an image, and opening it saves a file.
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': `attachment; filename="feedback-${row.position}.${ending}"`,
  });
}
