// Fills what an upgrade left, in bounded steps while the server runs (migration 0040). Each step is one transaction that also stores
// how far it came, so a server that was killed continues. What is added meanwhile is counted by triggers, and not by a step.
import type Sqlite from 'better-sqlite3';
import { versionKey } from '../lib/version-key.ts';

type FillName = 'downloads' | 'download_sums' | 'version_keys';

export interface Fill {
  name: FillName;
  /** Rows that are filled, of all. Sums are quick, so none of theirs are counted. */
  done: number;
  total: number;
}

interface FillRow extends Fill {
  position: string;
  until: string;
}

/** In this order: sums are computed from the totals of builds. */
const order: readonly FillName[] = ['version_keys', 'downloads', 'download_sums'];
/** Rows in a step. */
const DOWNLOADS = 1_000;
const SUBJECTS = 20;
const BUILDS = 200;
const STEP_MS = 10;

function hasTable(client: Sqlite.Database): boolean {
  return client.prepare("SELECT 1 FROM sqlite_master WHERE name = 'background_fills'").get() !== undefined;
}

/** Returns the fills that aren't complete, in order. Earlier versions had none. */
export function listFills(client: Sqlite.Database): Fill[] {
  if (!hasTable(client)) return [];
  const rows = client.prepare<[], Fill>('SELECT name, done, total FROM background_fills').all();
  return rows.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
}

/** Runs one step of the first fill that isn't complete. Returns whether one is left. The caller's transaction contains it. */
export function fillStep(client: Sqlite.Database): boolean {
  const [first] = listFills(client);
  if (first === undefined) return false;
  const row = client.prepare<[string], FillRow>('SELECT * FROM background_fills WHERE name = ?').get(first.name);
  if (row === undefined) return false;
  const next = steps[first.name](client, row);
  if (next === undefined) client.prepare('DELETE FROM background_fills WHERE name = ?').run(first.name);
  else {
    client
      .prepare('UPDATE background_fills SET position = ?, done = done + ? WHERE name = ?')
      .run(next.position, next.rows, first.name);
  }
  return true;
}

/** Runs all steps. A server can run, and do some of them. */
export function finishFills(client: Sqlite.Database): void {
  const step = client.transaction(() => fillStep(client));
  while (step.immediate());
}

/** Returns how far a step came, or undefined if the fill is complete. */
type Step = (client: Sqlite.Database, row: FillRow) => { position: string; rows: number } | undefined;

const steps: Record<FillName, Step> = {
  downloads: countDownloads,
  download_sums: countBuildsAndPeople,
  version_keys: fillVersionKeys,
};

/** A row of a release or a channel for each download of a step. With the plus, the index of ids is used. */
const SUBJECTS_OF_STEP = `(
  SELECT release_id AS subject_id, build_id, created_at FROM downloads
    WHERE id > @position AND id <= @last AND +release_id IS NOT NULL
  UNION ALL SELECT channel_id, build_id, created_at FROM downloads
    WHERE id > @position AND id <= @last AND +channel_id IS NOT NULL AND channel_id IS NOT release_id)`;

const ADDED = `downloads = downloads + excluded.downloads, first_at = min(first_at, excluded.first_at),
  last_at = max(last_at, excluded.last_at)`;

const countSteps = [
  `INSERT INTO download_totals (subject_id, build_id, downloads, first_at, last_at)
    SELECT subject_id, build_id, count(*), min(created_at), max(created_at) FROM ${SUBJECTS_OF_STEP} WHERE true GROUP BY 1, 2
    ON CONFLICT DO UPDATE SET ${ADDED}`,
  `INSERT INTO download_sums (subject_id, downloads, builds, takers, first_at, last_at)
    SELECT subject_id, count(*), 0, 0, min(created_at), max(created_at) FROM ${SUBJECTS_OF_STEP} WHERE true GROUP BY 1
    ON CONFLICT DO UPDATE SET ${ADDED}`,
  `INSERT INTO download_days (channel_id, day, downloads)
    SELECT channel_id, created_at / 86400000, count(*) FROM downloads
      WHERE id > @position AND id <= @last AND +channel_id IS NOT NULL GROUP BY 1, 2
    ON CONFLICT DO UPDATE SET downloads = downloads + excluded.downloads`,
];

/** Counts the next downloads. Their builds and people are counted afterwards, because they're distinct. */
function countDownloads(client: Sqlite.Database, { position, until }: FillRow): ReturnType<Step> {
  const ids = client
    .prepare<[string, string, number], string>('SELECT id FROM downloads WHERE id > ? AND id <= ? ORDER BY id LIMIT ?')
    .pluck()
    .all(position, until, DOWNLOADS);
  const last = ids.at(-1);
  if (last === undefined) return undefined;
  for (const sql of countSteps) client.prepare(sql).run({ position, last });
  return { position: last, rows: ids.length };
}

/** Counts distinct developers by looking up one after the other, because a channel can have many more downloads. */
const peopleOf = (subject: 'release_id' | 'channel_id') => `(
  WITH RECURSIVE people (id) AS (
    SELECT min(developer_id) FROM downloads WHERE ${subject} = @id AND developer_id IS NOT NULL
    UNION ALL SELECT (SELECT min(developer_id) FROM downloads WHERE ${subject} = @id AND developer_id > people.id)
      FROM people WHERE people.id IS NOT NULL)
  SELECT count(id) FROM people)`;

const COUNT_SUBJECT = `UPDATE download_sums SET builds = (SELECT count(*) FROM download_totals WHERE subject_id = @id),
  takers = ${peopleOf('release_id')} + ${peopleOf('channel_id')} WHERE subject_id = @id`;

/** Sets the distinct builds and people of the next releases and channels. From then on, triggers keep them. */
function countBuildsAndPeople(client: Sqlite.Database, { position }: FillRow): ReturnType<Step> {
  const ids = client
    .prepare<[string, number], string>(
      'SELECT subject_id FROM download_sums WHERE subject_id > ? ORDER BY subject_id LIMIT ?',
    )
    .pluck()
    .all(position, SUBJECTS);
  const last = ids.at(-1);
  if (last === undefined) return undefined;
  const count = client.prepare(COUNT_SUBJECT);
  const endsAt = performance.now() + STEP_MS;
  for (const id of ids) {
    count.run({ id });
    // Channels have many more people than releases.
    if (performance.now() > endsAt) return { position: id, rows: 0 };
  }
  return { position: last, rows: 0 };
}

interface Version {
  id: string;
  version: string;
  number: number;
}

const VERSIONS = 'SELECT id, version_name AS version, build_number AS number FROM builds';

function setVersionKeys(client: Sqlite.Database, found: readonly Version[]): void {
  const set = client.prepare<[string, string]>("UPDATE builds SET version_key = ? WHERE id = ? AND version_key = ''");
  for (const { id, version, number } of found) set.run(versionKey(version, number), id);
}

/** Sets the keys by which the next builds are sorted by version. */
function fillVersionKeys(client: Sqlite.Database, { position }: FillRow): ReturnType<Step> {
  const found = client
    .prepare<[string, number], Version>(`${VERSIONS} WHERE id > ? ORDER BY id LIMIT ?`)
    .all(position, BUILDS);
  setVersionKeys(client, found);
  const last = found.at(-1);
  return last && { position: last.id, rows: found.length };
}

/** Does the same for some builds of a project, which is asked for now. Returns whether some may be left. */
export function fillVersionKeysOf(client: Sqlite.Database, projectId: string): boolean {
  const found = client
    .prepare<[string, number], Version>(`${VERSIONS} WHERE project_id = ? AND version_key = '' LIMIT ?`)
    .all(projectId, BUILDS);
  setVersionKeys(client, found);
  return found.length === BUILDS;
}

/** Whether builds have no keys yet by which they are sorted by version. */
export function isFillingVersions(client: Sqlite.Database): boolean {
  return client.prepare("SELECT 1 FROM background_fills WHERE name = 'version_keys'").get() !== undefined;
}
