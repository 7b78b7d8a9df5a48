// Totals of the downloads of a release or channel. The number of downloads is kept with each download; people are counted in
// parts, so that other requests can run in between.
import type { App } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import { startSteps } from '../lib/steps.ts';

type Ctx = Pick<App, 'db'>;

export interface DownloadTotals {
  downloads: number;
  builds: number;
  /** Times of the first and the last download; null without downloads. */
  first: number | null;
  last: number | null;
}

const TOTALS = `
  SELECT coalesce(sum(downloads), 0) AS downloads, count(*) AS builds, min(first_at) AS first, max(last_at) AS last
    FROM download_totals WHERE subject_id = @id`;
const totals = prepared((db: Db) => db.$client.prepare<[{ id: string }], DownloadTotals>(TOTALS));

/** Returns the totals of a release or channel. */
export function totalDownloads(ctx: Ctx, id: string): DownloadTotals {
  return totals(ctx).get({ id }) ?? { downloads: 0, builds: 0, first: null, last: null };
}

/** Developers in one part. Each takes an index seek, however often they downloaded. */
const PART = 200;

/**
 * Returns a common table `name(developer_id)` of the next developers who downloaded a release or from a channel, in the
 * order of their ids. It skips from one developer to the next in an index.
 */
export function nextDownloaders(name: string, column: 'release_id' | 'channel_id'): string {
  const next = (after: string) =>
    `SELECT min(developer_id) FROM downloads WHERE ${column} = +:subjectId AND developer_id > ${after}`;
  return `${name}_walk(developer_id, number) AS (
      SELECT (${next('+:after')}), 1
      UNION ALL
      SELECT (${next('walked.developer_id')}), number + 1 FROM ${name}_walk walked
       WHERE walked.developer_id IS NOT NULL AND number < ${PART}),
    ${name}(developer_id) AS (SELECT developer_id FROM ${name}_walk WHERE developer_id IS NOT NULL)`;
}

/** A part of the developers: how many were looked at, and the last of them. */
export interface Part {
  seen: number;
  last: string | null;
}

/** Reads all parts one after the other. */
export async function* readParts<Row extends Part>(read: (after: string) => Row | undefined): AsyncGenerator<Row> {
  const step = startSteps();
  let after = '';
  for (;;) {
    await step();
    const part = read(after);
    if (part === undefined) return;
    yield part;
    if (part.seen < PART || part.last === null) return;
    after = part.last;
  }
}

const downloadersOf = (column: 'release_id' | 'channel_id') => `
  WITH RECURSIVE ${nextDownloaders('d', column)}
  SELECT count(*) AS seen, max(developer_id) AS last FROM d`;
const DOWNLOADERS = { release: downloadersOf('release_id'), channel: downloadersOf('channel_id') };
const query = (sql: string) =>
  prepared((db: Db) => db.$client.prepare<[{ subjectId: string; after: string }], Part>(sql));
const downloaders = { release: query(DOWNLOADERS.release), channel: query(DOWNLOADERS.channel) };

/** The SQL texts, for tests of their query plans. */
export const totalQueries = [TOTALS, DOWNLOADERS.release, DOWNLOADERS.channel];

/** Returns the number of developers who downloaded a release or from a channel. */
export async function countDownloaders(ctx: Ctx, kind: 'release' | 'channel', subjectId: string): Promise<number> {
  let total = 0;
  for await (const { seen } of readParts((after) => downloaders[kind](ctx).get({ subjectId, after }))) total += seen;
  return total;
}
