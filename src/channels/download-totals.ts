// Totals of the downloads of a release or channel. Triggers keep them with each download, so nothing is counted here.
import type { App } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';

type Ctx = Pick<App, 'db'>;

export interface DownloadTotals {
  downloads: number;
  builds: number;
  /** Developers with an account who downloaded, each once. */
  developers: number;
  /** Times of the first and the last download; null without downloads. */
  first: number | null;
  last: number | null;
}

/** The SQL text, for tests of its query plan. */
export const DOWNLOAD_TOTALS = `
  SELECT downloads, builds, takers AS developers, first_at AS first, last_at AS last
    FROM download_sums WHERE subject_id = @id`;
const totals = prepared((db: Db) => db.$client.prepare<[{ id: string }], DownloadTotals>(DOWNLOAD_TOTALS));

/** Returns the totals of a release or channel. */
export function totalDownloads(ctx: Ctx, id: string): DownloadTotals {
  return totals(ctx).get({ id }) ?? { downloads: 0, builds: 0, developers: 0, first: null, last: null };
}
