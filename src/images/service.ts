// Uploaded icons, avatars and screenshots: their type is detected from their bytes, and they're stored and served unchanged.
import { inArray } from 'drizzle-orm';
import type { App, Context, ObjectOwner, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { developers, organizations, projectScreenshots, projects } from '../data/tables/tables.ts';
import type { FileBody } from '../http/operation.ts';
import { type Reply, reply } from '../http/reply.ts';
import { createConcurrencyLimit } from '../lib/concurrency-limit.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { UUID_PATTERN } from '../lib/uuid.ts';
import { checkImage, imageTypeOf } from './check.ts';
import { readIconColor, shownColor, storedColor } from './icon-color.ts';
import type { ImageType } from './limits.ts';
import { type Sides, UnusableImage } from './limits.ts';
import { removeMetadata } from './metadata.ts';

/** The image columns of a row; both null without an image. */
export interface ImageColumns {
  iconKey: string | null;
  iconType: string | null;
}

/** The columns of an icon whose color is shown. */
export interface ColoredIcon {
  iconKey: string | null;
  /** As stored: `#rrggbb`, `none`, or null if it isn't computed. */
  iconColor: string | null;
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

/** A checked image whose object is stored. */
interface StoredImage {
  iconKey: string;
  iconType: ImageType;
}

/**
 * Stores an icon and calls `keep` in a transaction to save it in a row. If `keep` throws, the image is deleted again. Throws
 * `invalid_input` naming the part `file` unless it's a complete PNG, JPEG or WebP of at most 4,096 pixels per side.
 */
export function storeImage<Result>(
  ctx: Context,
  bytes: Buffer,
  keep: (image: StoredImage & { iconColor: string }) => Result,
): Promise<Result> {
  return storeChecked(ctx, bytes, async () => ({ iconColor: storedColor(await readIconColor(bytes)) }), keep);
}

/** Stores an image of any shape like an icon, and passes its sides to `keep`. */
export function storePicture<Result>(
  ctx: Context,
  bytes: Buffer,
  keep: (image: StoredImage & Sides) => Result,
): Promise<Result> {
  return storeChecked(ctx, bytes, async (sides) => sides, keep);
}

/** An image that was checked, without what a camera wrote about it. */
export interface PlainPicture extends Sides {
  type: ImageType;
  bytes: Buffer;
}

/**
 * Checks a picture and removes its metadata, such as the place where it was taken. Throws `invalid_input` naming the part
 * `field` unless it's a complete PNG, JPEG or WebP of at most 4,096 pixels per side.
 */
export async function readPlainPicture(ctx: Context, bytes: Buffer, field: string): Promise<PlainPicture> {
  const type = imageTypeOf(bytes);
  if (type === undefined) throw refuseImage(`Each part ${field} must be a PNG, JPEG or WebP image`, field);
  try {
    const sides = await gateOf(ctx)(() => checkImage(type, bytes));
    return { ...sides, type, bytes: removeMetadata(type, bytes) };
  } catch (error) {
    throw error instanceof UnusableImage ? refuseImage(`An image in the part ${field} ${error.message}`, field) : error;
  }
}

async function storeChecked<Facts, Result>(
  ctx: Context,
  bytes: Buffer,
  read: (sides: Sides) => Promise<Facts>,
  keep: (image: StoredImage & Facts) => Result,
): Promise<Result> {
  const iconType = imageTypeOf(bytes);
  if (iconType === undefined) throw refuseImage('The part file must be a PNG, JPEG or WebP image');
  let facts: Facts;
  try {
    facts = await gateOf(ctx)(async () => read(await checkImage(iconType, bytes)));
  } catch (error) {
    throw error instanceof UnusableImage ? refuseImage(`The image in the part file ${error.message}`) : error;
  }
  const iconKey = `icons/${ctx.ids.next()}`;
  await ctx.storage.put(iconKey, bytes);
  try {
    ctx.confirmAccess();
    return keep({ iconKey, iconType, ...facts });
  } catch (error) {
    await ctx.storage.delete(iconKey).catch((failure: unknown) => {
      ctx.log.error({ err: failure, object_key: iconKey }, 'image without a row not deleted');
    });
    throw error;
  }
}

function refuseImage(message: string, field = 'file'): AppError {
  return new AppError('invalid_input', message, { field });
}

/** Returns the keys that an organization, project, developer or screenshot references. */
function findImagesInUse({ db }: Pick<App, 'db'>, objectKeys: readonly string[]): ReadonlySet<string | null> {
  const columns = [organizations.iconKey, projects.iconKey, developers.avatarKey, projectScreenshots.imageKey];
  const rows = columns.flatMap((key) =>
    db
      .select({ key })
      .from(key.table)
      .where(inArray(key, [...objectKeys]))
      .all(),
  );
  return new Set(rows.map((row) => row.key));
}

const KEY = new RegExp(`^icons/${UUID_PATTERN}$`);

/** Icons, avatars and screenshots. Queries each table once per page, because no index leads from a key to its row. */
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
  const bytes = await ctx.storage.get(iconKey);
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

/** Few, because every page of an app without a stored color asks for it, and a page is complete without it. */
const colorGateOf = prepared(() =>
  createConcurrencyLimit({ max: 2, maxWaiting: 20, refusal: () => new Error('Too many icons are being read') }),
);

/**
 * Returns the color of an icon as `#rrggbb`, or null if there is none. For an icon that was stored before colors were,
 * the color is computed and passed to `save` with the key of the icon that was read. Never throws, because a page without its color is complete.
 */
export async function findIconColor(
  ctx: Context,
  { iconKey, iconColor }: ColoredIcon,
  save: (tx: Tx, iconKey: string, iconColor: string) => void,
): Promise<string | null> {
  if (iconKey === null) return null;
  if (iconColor !== null) return shownColor(iconColor);
  try {
    const computed = await colorGateOf(ctx)(async () => {
      const bytes = await ctx.storage.get(iconKey);
      return bytes === undefined ? undefined : storedColor(await readIconColor(bytes));
    });
    if (computed === undefined) return null;
    ctx.transact((tx) => save(tx, iconKey, computed), { bookkeeping: true });
    return shownColor(computed);
  } catch (error) {
    ctx.log.warn({ err: error, object_key: iconKey }, 'color of an icon not computed');
    return null;
  }
}

/**
 * Returns an organization's icon for people without an account, who know its version from a page. Throws `not_found`
 * if the icon was replaced.
 */
export async function readPublicImage(ctx: Context, columns: ImageColumns, version: string): Promise<Reply> {
  if (columns.iconKey === null || versionOf(columns.iconKey) !== version) throw notFound();
  const answer = await readImage(ctx, columns);
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'public, max-age=86400' } };
}

/** Returns the path of an organization's icon for people without an account, or null without one. */
export function publicOrganizationIconPath(id: string, iconKey: string | null): string | null {
  return iconKey === null ? null : `/public/v1/organizations/${id}/icon/${versionOf(iconKey)}`;
}
