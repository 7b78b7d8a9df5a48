// The feeds of channels: their documents, kept until the channel changes, and the packages and icons they lead to.
import { createHash } from 'node:crypto';
import { checkDownloadFunds } from '../billing/gates.ts';
import { mintDownload, nameFile, readBuildIcon } from '../builds/downloads.ts';
import type { Context } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { checkDownloadLock } from '../http/organization-lock.ts';
import { type Reply, redirectTo, reply } from '../http/reply.ts';
import { notFound } from '../lib/errors.ts';
import { platformFacts } from '../platforms.ts';
import { isActiveRelease } from '../releases/store.ts';
import { uuidAt } from '../runtime/ids.ts';
import { formatAttachment } from '../storage/attachment.ts';
import { type Feed, type FeedContent, type FeedItem, feedUrl, listItems, readContent } from './content.ts';
import { type FeedDocument, requireLatest } from './documents.ts';
import { buildRepository, type RepositoryFiles } from './fdroid.ts';
import { offers } from './kinds.ts';
import { openFeed } from './tokens.ts';

/** Repositories kept in memory; each has at most about 200 KiB. */
const MAX_REPOSITORIES = 100;
const repositories = prepared(() => new Map<string, Promise<RepositoryFiles>>());

const mediaTypes: Readonly<Record<string, string>> = {
  jar: 'application/java-archive',
  json: 'application/json',
};

/** People who share a cache with the owner of a token must not get its documents. */
function headersOf({ token }: Feed, etag: string): Record<string, string> {
  if (token === null) return { 'cache-control': 'public, max-age=60', etag };
  return { 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex, nofollow', etag };
}

const etagOf = ({ hash }: FeedContent, name: string): string =>
  `"${createHash('sha256').update(`${hash} ${name}`).digest('base64url').slice(0, 22)}"`;

/** Sends a document of a feed. Throws `not_found` for a channel of another platform, and without what the document is about. */
export function sendDocument(ctx: Context, key: string, document: FeedDocument): Reply {
  const feed = openFeed(ctx, key);
  if (document.platform !== null && document.platform !== feed.place.platform) throw notFound();
  const content = readContent(ctx, feed.place);
  return reply(document.type, document.write(ctx, feed, content), {
    ...headersOf(feed, etagOf(content, document.path)),
    ...document.headers,
  });
}

/** Sends a file of a channel's F-Droid repository: of its index, or a package. Throws `not_found` for any other. */
export async function sendRepositoryFile(ctx: Context, key: string, name: string): Promise<Reply> {
  const feed = openFeed(ctx, key);
  if (!offers(feed.place.platform, 'fdroid')) throw notFound();
  if (name.endsWith('.apk')) return sendPackage(ctx, key, name);
  const content = readContent(ctx, feed.place);
  const files = await loadRepository(ctx, feed, content);
  const bytes = Object.hasOwn(files, name) ? files[name] : undefined;
  if (bytes === undefined) throw notFound();
  const type = mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return reply(type, bytes, headersOf(feed, etagOf(content, name)));
}

/** Returns the files of a repository, which are signed once for each content. */
function loadRepository(ctx: Context, feed: Feed, content: FeedContent): Promise<RepositoryFiles> {
  const kept = repositories(ctx);
  // Not the token itself, which is kept nowhere.
  const id = `${content.hash} ${feed.place.channel.id} ${feed.token?.id ?? ''}`;
  const known = kept.get(id);
  if (known !== undefined) return known;
  const made = buildRepository(ctx, feed.place, content, `${feedUrl(ctx, feed.key)}/fdroid/repo`);
  if (kept.size >= MAX_REPOSITORIES) kept.clear();
  kept.set(id, made);
  made.catch(() => kept.delete(id));
  return made;
}

function findItem(ctx: Context, feed: Feed, file: string): FeedItem {
  const [buildId = ''] = file.split('.', 1);
  const item = listItems(ctx, feed.place.channel.id).find(({ build }) => build.id === buildId);
  if (item === undefined) throw notFound();
  return item;
}

/**
 * Redirects to a package that the feed offers, and records the download: for a token, repeated requests for a release count once.
 * Throws `not_found` for any other, and the error of an organization that can't serve downloads.
 */
export async function sendPackage(ctx: Context, key: string, file: string): Promise<Reply> {
  const feed = openFeed(ctx, key);
  const item = findItem(ctx, feed, file);
  if (file !== `${item.build.id}.${platformFacts[item.build.platform].extension}`) throw notFound();
  return redirectTo(await signPackage(ctx, feed, item));
}

/**
 * Answers a request for the newest Android package: HEAD with its size, name and ETag, GET with a redirect to it, or with 304 if
 * the client has it. Only the redirect counts as a download.
 */
export async function sendLatestPackage(ctx: Context, key: string): Promise<Reply> {
  const feed = openFeed(ctx, key);
  const latest = requireLatest({ items: listItems(ctx, feed.place.channel.id) });
  const { build } = latest;
  const headers = { ...headersOf(feed, `"${build.sha256.toLowerCase()}"`), 'cache-control': 'private, no-cache' };
  const isKnown = splitTags(ctx.request.header('if-none-match')).includes(build.sha256.toLowerCase());
  if (isKnown) return { isReply: true, status: 304, headers, body: null };
  const disposition = formatAttachment(nameFile(build, feed.place.projectName));
  const about = { ...headers, 'content-disposition': disposition };
  if (ctx.request.method === 'HEAD') {
    checkDownloadLock(ctx, feed.place);
    checkDownloadFunds(ctx, build);
    const { contentType } = platformFacts[build.platform];
    const size = { 'content-type': contentType, 'content-length': String(build.sizeBytes) };
    return { isReply: true, status: 200, headers: { ...about, ...size }, body: null };
  }
  const { headers: location } = redirectTo(await signPackage(ctx, feed, latest));
  return { isReply: true, headers: { ...about, ...location }, body: null };
}

/** Returns the tags of an If-None-Match header without their quotes. */
const splitTags = (header: string | undefined): string[] =>
  (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''));

async function signPackage(ctx: Context, { place, key, token }: Feed, { build, release }: FeedItem): Promise<string> {
  checkDownloadLock(ctx, place);
  const { url } = await mintDownload(ctx, build, {
    subject: token === null ? 'public' : `feed:${token.id}`,
    isRedirect: true,
    channelId: place.channel.id,
    releaseId: release.id,
    developerId: token?.developerId ?? null,
    confirm(later) {
      // The feed or its release may have ended while the storage was asked.
      checkDownloadLock(later, openFeed(later, key).place);
      if (!isActiveRelease(later, release.id)) throw notFound();
    },
    ...(token === null ? {} : { capabilityId: downloadIdOf(token.id, release.id) }),
  });
  return url;
}

/** Returns the id under which the downloads of a release with a token count as one. */
function downloadIdOf(tokenId: string, releaseId: string): string {
  return uuidAt(createHash('sha256').update(`feed ${tokenId} ${releaseId}`).digest(), 0);
}

/** Sends the icon of a build that the feed offers. Throws `not_found`. */
export async function sendFeedIcon(ctx: Context, key: string, file: string): Promise<Reply> {
  const feed = openFeed(ctx, key);
  const { build } = findItem(ctx, feed, file);
  const icon = await readBuildIcon(ctx, build);
  if (icon === undefined) throw notFound();
  const etag = `"${createHash('sha256').update(icon.bytes).digest('base64url').slice(0, 22)}"`;
  return reply(icon.contentType, icon.bytes, {
    ...headersOf(feed, etag),
    // These bytes come from users and are served from our origin, so they must only be displayed.
    'content-security-policy': "default-src 'none'; sandbox",
  });
}
