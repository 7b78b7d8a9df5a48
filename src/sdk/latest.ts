// The update check of a channel, cached while nothing changes, so that a request costs a comparison.
import { hash } from 'node:crypto';
import type { App, Context } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import { type Reply, reply } from '../http/reply.ts';
import { ByteCache } from '../lib/byte-cache.ts';
import { timestamp } from '../lib/clock.ts';
import { notesToPlainText } from '../lib/markdown/plain-text.ts';
import type { Platform } from '../platforms.ts';
import { findCurrent, type ReleaseWithBuild } from '../releases/store.ts';
import { type Install, noteVersion } from './credentials.ts';
import { findInstallRow } from './install-store.ts';
import type { Latest, LatestQuery, UpdateRelease } from './schema.ts';
import { isNewerBuild, pickNewest, type Version } from './versions.ts';

/** Number of the newest mandatory releases that are checked. Older installs are behind these too. */
const MAX_MANDATORY = 1_000;

/** Notes can have 10,000 characters, and a response has them twice. */
const MAX_OFFER_BYTES = 32 * 1024 * 1024;
const BYTES_WITHOUT_TEXTS = 1_000;

/** A response, and the one for installs that already have it. */
interface Answers {
  etag: string;
  whole: Reply;
  unchanged: Reply;
}

interface Offer {
  platform: Platform;
  /** Undefined if the channel has no current release. */
  current: Version | undefined;
  /** The newest builds of the mandatory releases that are available. */
  mandatory: Version[];
  none: Answers;
  update: Answers;
  mandatoryUpdate: Answers;
}

// The conditions are part of the SQL text, because SQLite uses the index of mandatory releases only then.
const mandatoryBuilds = prepared((db) =>
  db.$client.prepare<[string, number], { versionName: string; buildNumber: number }>(
    `SELECT b.version_name AS versionName, max(b.build_number) AS buildNumber
    FROM (SELECT build_id FROM releases WHERE channel_id = +? AND state = 'active' AND mandatory = 1
      ORDER BY id DESC LIMIT +?) r
    JOIN builds b ON b.id = r.build_id
    WHERE b.revoked_at IS NULL GROUP BY b.version_name`,
  ),
);

/**
 * Returns whether there is an update for the build that the install runs, from the request or else its last report.
 * Only active releases whose build isn't revoked count.
 */
export function answerLatest(ctx: Context, install: Install, query: LatestQuery): Reply {
  const said = { versionName: query.version_name ?? null, buildNumber: query.build_number ?? null };
  const saysNothing = said.versionName === null && said.buildNumber === null;
  if (!saysNothing) noteVersion(ctx, install, said);
  const running = saysNothing ? (findInstallRow(ctx, install.installRowId) ?? said) : said;
  const { channelId } = install.app;
  const { etag, whole, unchanged } = judge(findOffer(ctx, channelId), running);
  // The common case first. The HTTP layer handles lists and weak tags.
  return ctx.request.header('if-none-match') === etag ? unchanged : whole;
}

/** The offers by channel. The cache of rows keeps all of them as one row, so that it forgets them with the others. */
export function offersOf(ctx: Pick<App, 'db'>): ByteCache<Offer> {
  return rowCacheOf(ctx).getOrRead(offersOf, '', () => new ByteCache<Offer>(MAX_OFFER_BYTES));
}

function findOffer(ctx: Pick<App, 'db'>, channelId: string): Offer {
  const offers = offersOf(ctx);
  const known = offers.get(channelId);
  if (known !== undefined) return known;
  const offer = makeOffer(ctx, channelId);
  offers.add(channelId, offer, bytesOf(offer));
  return offer;
}

/** The bytes of an offer: of its texts, with two for each character, which is the most that they take, and of all else. */
function bytesOf({ none, update, mandatoryUpdate }: Offer): number {
  const texts = new Set([none, update, mandatoryUpdate].map(({ whole }) => String(whole.body)));
  return [...texts].reduce((sum, text) => sum + 2 * text.length, BYTES_WITHOUT_TEXTS);
}

function judge({ platform, current, mandatory, none, update, mandatoryUpdate }: Offer, running: Version): Answers {
  if (current === undefined || !isNewerBuild(platform, current, running)) return none;
  return mandatory.some((build) => isNewerBuild(platform, build, running)) ? mandatoryUpdate : update;
}

function makeOffer(ctx: Pick<App, 'db'>, channelId: string): Offer {
  const found = findCurrent(ctx, channelId);
  const platform = found?.build.platform ?? 'android';
  const release = found === undefined ? null : toUpdateRelease(found);
  const mandatory = pickNewest(platform, mandatoryBuilds(ctx).all(channelId, MAX_MANDATORY));
  const none = writeAnswers({ update_available: false, mandatory: false, release });
  // What can't be answered isn't written.
  const update = found === undefined ? none : writeAnswers({ update_available: true, mandatory: false, release });
  const mandatoryUpdate =
    mandatory.length === 0 ? update : writeAnswers({ update_available: true, mandatory: true, release });
  return { platform, current: found?.build, mandatory, none, update, mandatoryUpdate };
}

function toUpdateRelease({ release, build }: ReleaseWithBuild): UpdateRelease {
  const notes = release.releaseNotes ?? build.releaseNotes;
  return {
    identifier: release.id,
    version_name: build.versionName,
    build_number: build.buildNumber,
    release_notes: notes,
    release_notes_text: notes === null ? null : notesToPlainText(notes),
    mandatory: release.mandatory,
    min_os_version: build.minOsVersion,
    size_bytes: build.sizeBytes,
    sha256: build.sha256,
    created_at: timestamp(release.createdAt),
  };
}

function writeAnswers(content: Latest): Answers {
  const text = JSON.stringify(content);
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
  // Private and revalidated each time, because the same URL returns other data to other installs.
  const headers = { etag, 'cache-control': 'private, no-cache', vary: 'Authorization, X-Svc-App-Key' };
  return {
    etag,
    whole: reply('application/json', text, headers),
    unchanged: { isReply: true, status: 304, headers, body: null },
  };
}
