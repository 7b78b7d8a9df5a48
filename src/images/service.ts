// Uploaded icons and avatars: their type is detected from their bytes, and they're stored and served unchanged.
import { inArray } from 'drizzle-orm';
import type { App, Context, ObjectOwner } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { developers, organizations, projects } from '../data/tables/tables.ts';
import type { FileBody } from '../http/operation.ts';
import { type Reply, reply } from '../http/reply.ts';
import { createConcurrencyLimit } from '../lib/concurrency-limit.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { readWhole } from '../storage/read-whole.ts';
import { checkImage, type ImageType, imageTypeOf } from './check.ts';
import { UnusableImage } from './limits.ts';

/** The image columns of a row; both null without an image. */
export interface ImageColumns {
  iconKey: string | null;
  iconType: string | null;
}

/** The multipart body of an icon or avatar. */
export const imageBody: FileBody = {
  kind: 'file',
  field: 'file',
  maximumBytes: (app) => app.config.limits.icon_size_bytes,
};

/** Limits concurrent image checks, because inflating an image occupies a thread of the pool for up to half a second. */
const gateOf = prepared(() =>
  createConcurrencyLimit({
    max: 2,
    maxWaiting: 100,
    refusal: () =>
      new AppError(
        'storage_backend_unavailable',
        'Too many images are being checked; try again in a moment',
        {},
        { 'retry-after': '2' },
      ),
  }),
);

/**
 * Stores an image and calls `keep` in a transaction to save it in a row. If `keep` throws, the image is deleted again. Throws
 * `invalid_input` naming the part `file` unless it's a complete PNG, JPEG or WebP of at most 4,096 pixels per side.
 */
export async function storeImage<Result>(
  ctx: Context,
  bytes: Buffer,
  keep: (image: { iconKey: string; iconType: ImageType }) => Result,
): Promise<Result> {
  const iconType = imageTypeOf(bytes);
  if (iconType === undefined) throw refuseImage('The part file must be a PNG, JPEG or WebP image');
  try {
    await gateOf(ctx)(() => checkImage(iconType, bytes));
  } catch (error) {
    throw error instanceof UnusableImage ? refuseImage(`The image in the part file ${error.message}`) : error;
  }
  const iconKey = `icons/${ctx.ids.next()}`;
  await ctx.storage.put(iconKey, bytes);
  try {
    return keep({ iconKey, iconType });
  } catch (error) {
    await ctx.storage.delete(iconKey).catch((failure: unknown) => {
      ctx.log.error({ err: failure, object_key: iconKey }, 'image without a row not deleted');
    });
    throw error;
  }
}

function refuseImage(message: string): AppError {
  return new AppError('invalid_input', message, { field: 'file' });
}

/** Returns the keys that an organization, project or developer references. */
function findImagesInUse({ db }: Pick<App, 'db'>, objectKeys: readonly string[]): ReadonlySet<string | null> {
  const columns = [organizations.iconKey, projects.iconKey, developers.avatarKey];
  const rows = columns.flatMap((key) =>
    db
      .select({ key })
      .from(key.table)
      .where(inArray(key, [...objectKeys]))
      .all(),
  );
  return new Set(rows.map((row) => row.key));
}

const KEY = /^icons\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Icons and avatars. Queries each table once per page, because no index leads from a key to its row. */
export const images: ObjectOwner = {
  prefix: 'icons/',
  findOrphans(app, keys) {
    const own = keys.filter((key) => KEY.test(key));
    const inUse = findImagesInUse(app, own);
    return own.filter((key) => !inUse.has(key));
  },
};

/** Returns the image exactly as uploaded. Throws `not_found` if there is none. */
export async function readImage(ctx: Context, { iconKey, iconType }: ImageColumns): Promise<Reply> {
  if (iconKey === null || iconType === null) throw notFound();
  const bytes = await readWhole(ctx.storage, iconKey);
  if (bytes === undefined) throw notFound();
  return reply(iconType, bytes, {
    'cache-control': 'private, no-cache',
    // Untrusted content on our origin: it may be displayed and nothing else.
    'content-security-policy': "default-src 'none'; sandbox",
    etag: `"${versionOf(iconKey)}"`,
  });
}

/** Returns the URL of an image below `path` (absolute within the API), or null without one. It changes with the image. */
export function imageUrl(app: Pick<App, 'config'>, path: string, { iconKey }: ImageColumns): string | null {
  return iconKey === null ? null : `${app.config.server.base_url}/api/v1${path}?v=${versionOf(iconKey)}`;
}

function versionOf(iconKey: string): string {
  return iconKey.slice(iconKey.lastIndexOf('/') + 1);
}
