// Small pictures that people upload: their type told by their bytes, kept in the storage, handed out as they came.
import { inArray } from 'drizzle-orm';
import { readWhole } from '../storage/read-whole.ts';
import type { App, Context } from './context.ts';
import { AppError, notFound } from './errors.ts';
import type { FileBody } from './operation.ts';
import { type Reply, reply } from './reply.ts';
import { developers, organizations, projects } from './tables/tables.ts';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp';

/** Where a picture lies, as the row of what it shows keeps it; both null without one. */
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

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff]);

/** The type of an image by its first bytes; undefined for whatever is not PNG, JPEG or WebP. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return 'image/png';
  if (bytes.subarray(0, 3).equals(JPEG_SIGNATURE)) return 'image/jpeg';
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? 'image/webp' : undefined;
}

/**
 * Stores a picture and lets `keep` point a row to it, in a transaction of its own. When `keep` throws, the bytes go again.
 * Throws invalid_input naming the part `file` for anything but PNG, JPEG and WebP.
 */
export async function storeImage<Result>(
  ctx: Context,
  bytes: Buffer,
  keep: (image: { iconKey: string; iconType: ImageType }) => Result,
): Promise<Result> {
  const iconType = imageTypeOf(bytes);
  if (iconType === undefined) {
    throw new AppError('invalid_input', 'The part file should be a PNG, JPEG or WebP image', { field: 'file' });
  }
  const iconKey = `icons/${ctx.ids.next()}`;
  await ctx.storage.put(iconKey, bytes);
  try {
    return keep({ iconKey, iconType });
  } catch (error) {
    await ctx.storage.delete(iconKey).catch((failure: unknown) => {
      ctx.log.error({ err: failure, object_key: iconKey }, 'an image without a row stays in the storage');
    });
    throw error;
  }
}

/** Those of the objects that an organization, a project or a developer points to. */
export function findImagesInUse(
  { db }: Pick<Context, 'db'>,
  objectKeys: readonly string[],
): ReadonlySet<string | null> {
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

/** The picture as it was uploaded, byte for byte. Throws not_found when there is none. */
export async function readImage(ctx: Context, { iconKey, iconType }: ImageColumns): Promise<Reply> {
  if (iconKey === null || iconType === null) throw notFound();
  const bytes = await readWhole(ctx.storage, iconKey);
  if (bytes === undefined) throw notFound();
  return reply(iconType, bytes, {
    'cache-control': 'private, no-cache',
    // Somebody else's bytes under our address: they may be drawn and nothing more.
    'content-security-policy': "default-src 'none'; sandbox",
    etag: `"${versionOf(iconKey)}"`,
  });
}

/** Address of a picture below `path` (absolute within the API), or null without one. It changes with the picture. */
export function imageUrl(app: Pick<App, 'config'>, path: string, { iconKey }: ImageColumns): string | null {
  return iconKey === null ? null : `${app.config.server.base_url}/api/v1${path}?v=${versionOf(iconKey)}`;
}

function versionOf(iconKey: string): string {
  return iconKey.slice(iconKey.lastIndexOf('/') + 1);
}
