// How many testers of a channel have downloaded a release, by the day of their first download. A count is kept until the
// access of testers changes, and until then only downloads after it are read.
import type { App } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import { startSteps } from '../lib/steps.ts';
import { type ReachableChannel, reachesAny, readAccessVersion } from './audience.ts';

type Ctx = Pick<App, 'db'>;
const query = <Row>(sql: string) =>
  prepared((db: Db) => db.$client.prepare<[Record<string, string | number>], Row>(sql));

/** Counts that are kept. Each has at most one number for each day. */
const MAX_KEPT = 1_000;
/** Rows read together. Each takes a few index seeks. */
const PART = 200;

/** Testers by the day of their first download, in days since the epoch. Days without a first download are missing. */
export type AdoptionDays = ReadonlyMap<number, number>;

interface Adoption {
  version: number;
  /** The last download that was read. */
  after: string;
  days: Map<number, number>;
  testers: number;
}

const keptOf = prepared(() => new Map<string, Adoption>());

const REACHES = reachesAny('+:channelId, +:projectId, +:organizationId', '+:channelId, +:projectId');

const LAST_DOWNLOAD = 'SELECT max(id) AS id FROM downloads WHERE release_id = +:releaseId';
const lastDownload = query<{ id: string | null }>(LAST_DOWNLOAD);

/** The next developers who downloaded, in the order of their ids: skips from one to the next in an index. */
const nextDeveloper = (after: string) =>
  `SELECT min(developer_id) FROM downloads WHERE release_id = +:releaseId AND developer_id > ${after}`;
const FIRST_DOWNLOADS = `
  WITH RECURSIVE walk(developer_id, number) AS (
      SELECT (${nextDeveloper('+:after')}), 1
      UNION ALL
      SELECT (${nextDeveloper('walked.developer_id')}), number + 1 FROM walk walked
       WHERE walked.developer_id IS NOT NULL AND number < ${PART})
  SELECT w.developer_id AS developerId, d.id, d.created_at / 86400000 AS day, ${REACHES} AS reaches
    FROM walk w JOIN downloads d ON d.rowid = (SELECT rowid FROM downloads
      WHERE release_id = +:releaseId AND developer_id = w.developer_id ORDER BY rowid LIMIT 1)
   WHERE w.developer_id IS NOT NULL`;
const firstDownloads = query<{ developerId: string; id: string; day: number; reaches: 0 | 1 }>(FIRST_DOWNLOADS);

/** The downloads after one, with whether each is the developer's first of the release. */
const LATER_DOWNLOADS = `
  SELECT w.id, w.created_at / 86400000 AS day,
      w.developer_id IS NOT NULL AND ${REACHES} AND NOT EXISTS (SELECT 1 FROM downloads e
        WHERE e.release_id = w.release_id AND e.developer_id = w.developer_id AND e.rowid < w.rowid) AS counts
    FROM downloads w WHERE w.release_id = +:releaseId AND w.id > +:after ORDER BY w.id LIMIT ${PART}`;
const laterDownloads = query<{ id: string; day: number; counts: 0 | 1 }>(LATER_DOWNLOADS);

/** The SQL texts, for tests of their query plans. */
export const adoptionQueries = [LAST_DOWNLOAD, FIRST_DOWNLOADS, LATER_DOWNLOADS];

/** Returns the number of a channel's testers who have downloaded a release. */
export async function countAdopters(ctx: Ctx, channel: ReachableChannel, releaseId: string): Promise<number> {
  return (await readAdoption(ctx, channel, releaseId)).testers;
}

/** Returns the same by the day of the first download. */
export async function readAdoptionDays(ctx: Ctx, channel: ReachableChannel, releaseId: string): Promise<AdoptionDays> {
  return (await readAdoption(ctx, channel, releaseId)).days;
}

async function readAdoption(ctx: Ctx, channel: ReachableChannel, releaseId: string): Promise<Adoption> {
  const { id: channelId, projectId, organizationId } = channel;
  const place = { channelId, projectId, organizationId, releaseId };
  const version = readAccessVersion(ctx, organizationId);
  const kept = keptOf(ctx);
  const key = `${channelId} ${releaseId}`;
  const known = kept.get(key);
  // Copied, because another request may read the same while this one lets it run.
  const adoption: Adoption =
    known?.version === version ? { ...known, days: new Map(known.days) } : await countFirst(ctx, place, version);
  const step = startSteps();
  for (;;) {
    const part = laterDownloads(ctx).all({ ...place, after: adoption.after });
    for (const { id, day, counts } of part) {
      adoption.after = id;
      if (counts === 1) add(adoption, day);
    }
    if (part.length < PART) break;
    await step();
  }
  // The oldest count makes room, and this one becomes the newest.
  kept.delete(key);
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '');
  kept.set(key, adoption);
  return adoption;
}

/** Counts up to the last download at the beginning. Those that are added while it counts are read afterwards. */
async function countFirst(ctx: Ctx, place: Record<string, string>, version: number): Promise<Adoption> {
  const last = lastDownload(ctx).get(place)?.id ?? '';
  const adoption: Adoption = { version, after: last, days: new Map(), testers: 0 };
  const step = startSteps();
  for (let after = ''; ; ) {
    const part = firstDownloads(ctx).all({ ...place, after });
    for (const { developerId, id, day, reaches } of part) {
      if (reaches === 1 && id <= last) add(adoption, day);
      if (developerId > after) after = developerId;
    }
    if (part.length < PART) return adoption;
    await step();
  }
}

function add(adoption: Adoption, day: number): void {
  adoption.testers += 1;
  adoption.days.set(day, (adoption.days.get(day) ?? 0) + 1);
}
