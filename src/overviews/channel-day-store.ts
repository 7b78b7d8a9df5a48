// Daily totals of a channel, which triggers keep. Days are in days since the epoch.
import type { App } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';

type Ctx = Pick<App, 'db'>;
const query = <Row>(sql: string) =>
  prepared((db: Db) => db.$client.prepare<[Record<string, string | number>], Row>(sql));

const DOWNLOAD_DAYS =
  'SELECT day, downloads AS total FROM download_days WHERE channel_id = :channelId AND day >= :from';
const downloadDays = query<{ day: number; total: number }>(DOWNLOAD_DAYS);

const INSTALL_DAYS = `
  SELECT day, sum(reports) AS total FROM report_days
   WHERE subject_id = :subjectId AND day >= :from AND state IN ('installed', 'launched') GROUP BY day`;
const installDays = query<{ day: number; total: number }>(INSTALL_DAYS);

const INSTALLS_ON = `
  SELECT coalesce(sum(reports), 0) AS total FROM report_days
   WHERE subject_id = :releaseId AND state IN ('installed', 'launched')`;
const installsOn = query<{ total: number }>(INSTALLS_ON);

const INSTALLS_OF =
  'SELECT coalesce(sum(install_count), 0) AS total FROM sdk_apps WHERE channel_id = :channelId AND revoked_at IS NULL';
const installsOf = query<{ total: number }>(INSTALLS_OF);

/** The SQL texts, for tests of their query plans. */
export const dayQueries = [DOWNLOAD_DAYS, INSTALL_DAYS, INSTALLS_ON, INSTALLS_OF];

type Days = ReadonlyMap<number, number>;
const toDays = (rows: { day: number; total: number }[]): Days => new Map(rows.map(({ day, total }) => [day, total]));

/** Returns the downloads of a channel by day, from a day on. */
export function listDownloadDays(app: Ctx, channelId: string, from: number): Days {
  return toDays(downloadDays(app).all({ channelId, from }));
}

/** Returns the installs that run a release, or one of a channel's releases, by the day of their first report about it. */
export function listInstallDays(app: Ctx, subjectId: string, from: number): Days {
  return toDays(installDays(app).all({ subjectId, from }));
}

/** Installs that report running a release, regardless of when they started. */
export function countInstallsOn(app: Ctx, releaseId: string): number {
  return installsOn(app).get({ releaseId })?.total ?? 0;
}

/** Installs enrolled with the SDK apps of a channel. */
export function countInstallsOf(app: Ctx, channelId: string): number {
  return installsOf(app).get({ channelId })?.total ?? 0;
}
