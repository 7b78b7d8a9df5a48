// Counts for the daily statistics of a channel, using indexes. Times are in milliseconds since the epoch.
import type { App } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import { firstIdOf } from '../lib/id-times.ts';

type Ctx = Pick<App, 'db'>;
const query = <Row>(sql: string) =>
  prepared((db: Db) => db.$client.prepare<[Record<string, string | number>], Row>(sql));

/** From `from` (inclusive) to `to` (exclusive). */
export interface Span {
  from: number;
  to: number;
}

/** Reports get their ids when they are saved, shortly after they arrive. */
const WRITTEN_WITHIN_MS = 60 * 60_000;

const DOWNLOADS_IN =
  'SELECT count(*) AS total FROM downloads WHERE channel_id = :channelId AND created_at >= :from AND created_at < :to';
const downloadsIn = query<{ total: number }>(DOWNLOADS_IN);

const INSTALLS_IN = `
  SELECT count(*) AS installs, coalesce(sum(p.release_id = :releaseId), 0) AS onCurrent
    FROM releases r JOIN sdk_reports p ON p.release_id = r.id AND p.id >= :fromId AND p.id < :toId
   WHERE r.channel_id = :channelId AND p.created_at >= :from AND p.created_at < :to AND p.state IN ('installed', 'launched')`;
const installsIn = query<{ installs: number; onCurrent: number }>(INSTALLS_IN);

const INSTALLS_ON =
  "SELECT count(*) AS total FROM sdk_reports WHERE release_id = :releaseId AND state IN ('installed', 'launched')";
const installsOn = query<{ total: number }>(INSTALLS_ON);

const INSTALLS_OF =
  'SELECT coalesce(sum(install_count), 0) AS total FROM sdk_apps WHERE channel_id = :channelId AND revoked_at IS NULL';
const installsOf = query<{ total: number }>(INSTALLS_OF);

/** The SQL texts, for tests of their query plans. */
export const dayQueries = [DOWNLOADS_IN, INSTALLS_IN, INSTALLS_ON, INSTALLS_OF];

/** Downloads of a channel. */
export function countDownloadsIn(app: Ctx, channelId: string, { from, to }: Span): number {
  return downloadsIn(app).get({ channelId, from, to })?.total ?? 0;
}

/** Installs that first reported running one of the channel's releases, and the number for the given release. */
export function countInstallsIn(app: Ctx, channelId: string, releaseId: string | undefined, { from, to }: Span) {
  const ids = { fromId: firstIdOf(from), toId: firstIdOf(to + WRITTEN_WITHIN_MS) };
  const row = installsIn(app).get({ channelId, releaseId: releaseId ?? '', from, to, ...ids });
  return row ?? { installs: 0, onCurrent: 0 };
}

/** Installs that report running a release, regardless of when they started. */
export function countInstallsOn(app: Ctx, releaseId: string): number {
  return installsOn(app).get({ releaseId })?.total ?? 0;
}

/** Installs enrolled with the SDK apps of a channel. */
export function countInstallsOf(app: Ctx, channelId: string): number {
  return installsOf(app).get({ channelId })?.total ?? 0;
}
