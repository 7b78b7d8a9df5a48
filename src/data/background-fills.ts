// Fills what an upgrade left, in bounded steps while the server runs (migration 0040). Each step is one transaction that also stores
// how far it came, so a server that was killed continues. Rows that are added during this time are counted by triggers, and not by a step.
import type Sqlite from 'better-sqlite3';
import { createStepRows } from '../lib/step-rows.ts';
import { versionKey } from '../lib/version-key.ts';
import { openReader } from './database.ts';
import { hasTable } from './has-table.ts';

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
/** Builds of which a step sets the keys within a request. */
export const VERSION_KEYS_OF_STEP = 100;
/**
 * 256 MB. The log can't be started over while the check at the start, a backup or an export reads the database, and the steps
 * would make it grow by gigabytes until then.
 */
export const LONG_LOG_PAGES = 64_000;

/** Returns the fills that aren't complete, in order. Earlier versions had none. */
export function listFills(client: Sqlite.Database): Fill[] {
  if (!hasTable(client, 'background_fills')) return [];
  const rows = client.prepare<[], Fill>('SELECT name, done, total FROM background_fills').all();
  return rows.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
}

export interface Filler {
  /** Runs one step of the first fill that isn't complete. Returns whether one is left. The caller's transaction contains it. */
  step(): boolean;
  /** Ends the snapshot of a count that takes several steps. A later step begins the count again. */
  close(): void;
}

/** Rows of a step, at first and at most. */
export interface RowRange {
  min: number;
  max: number;
}

export interface StepSize {
  keys: RowRange;
  downloads: RowRange;
  /** How long a step counts distinct rows, and how many between two readings of the clock. */
  ms: number;
  counted: number;
}

const STEP: StepSize = { keys: { min: 25, max: 200 }, downloads: { min: 125, max: 1_000 }, ms: 5, counted: 50 };

/** Steps as a slow machine has them. They write the most pages. */
export const SMALLEST_STEPS: Partial<StepSize> = {
  keys: { min: STEP.keys.min, max: STEP.keys.min },
  downloads: { min: STEP.downloads.min, max: STEP.downloads.min },
};

/** Returns what runs the steps of a database. It keeps a count that takes several of them. */
export function createFiller(client: Sqlite.Database, changed: Partial<StepSize> = {}): Filler {
  const size = { ...STEP, ...changed };
  const sums = new SumCounter(client, size);
  const [keys, downloads] = [createStepRows(size.keys), createStepRows(size.downloads)];
  const steps: Record<FillName, Step> = {
    downloads: (row) => downloads.take((rows) => countDownloads(client, row, rows)),
    download_sums: (row) => sums.step(row),
    version_keys: (row) => keys.take((rows) => fillVersionKeys(client, row, rows)),
  };
  return {
    step() {
      const [first] = listFills(client);
      if (first === undefined) return false;
      const row = client.prepare<[string], FillRow>('SELECT * FROM background_fills WHERE name = ?').get(first.name);
      if (row === undefined) return false;
      const next = steps[first.name](row);
      if (next === undefined) client.prepare('DELETE FROM background_fills WHERE name = ?').run(first.name);
      else {
        client
          .prepare('UPDATE background_fills SET position = ?, done = done + ? WHERE name = ?')
          .run(next.position, next.rows, first.name);
      }
      return true;
    },
    close: () => sums.close(),
  };
}

/** Runs all steps. A server can run, and do some of them. */
export function finishFills(client: Sqlite.Database, size?: Partial<StepSize>): void {
  const filler = createFiller(client, size);
  const step = client.transaction(() => filler.step());
  try {
    while (step.immediate());
  } finally {
    filler.close();
  }
}

/** Returns how far a step came, or undefined if the fill is complete. */
type Step = (row: FillRow) => { position: string; rows: number } | undefined;

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
function countDownloads(client: Sqlite.Database, { position, until }: FillRow, rows: number): ReturnType<Step> {
  const ids = client
    .prepare<[string, string, number], string>('SELECT id FROM downloads WHERE id > ? AND id <= ? ORDER BY id LIMIT ?')
    .pluck()
    .all(position, until, rows);
  const last = ids.at(-1);
  if (last === undefined) return undefined;
  for (const sql of countSteps) client.prepare(sql).run({ position, last });
  return { position: last, rows: ids.length };
}

/** Finds distinct developers by looking up one after the other, because a channel can have many more downloads. */
const peopleOf = (subject: 'release_id' | 'channel_id') => `
  WITH RECURSIVE people (id) AS (
    SELECT min(developer_id) FROM downloads WHERE ${subject} = @id AND developer_id > @after
    UNION ALL SELECT (SELECT min(developer_id) FROM downloads WHERE ${subject} = @id AND developer_id > people.id)
      FROM people WHERE people.id IS NOT NULL LIMIT @limit)
  SELECT count(id) AS found, max(id) AS last FROM people`;

const BUILDS_OF = `SELECT count(*) AS found, max(build_id) AS last FROM (
  SELECT build_id FROM download_totals WHERE subject_id = @id AND build_id > @after ORDER BY build_id LIMIT @limit)`;

const ADD_COUNTED = 'UPDATE download_sums SET builds = builds + ?, takers = takers + ? WHERE subject_id = ?';

interface Sum {
  id: string;
  builds: number;
  takers: number;
}

type Count = Sqlite.Statement<[{ id: string; after: string; limit: number }], { found: number; last: string | null }>;

/** A connection that reads, with its queries. */
interface Reader {
  client: Sqlite.Database;
  next: Sqlite.Statement<[string], Sum>;
  builds: Count;
  ofRelease: Count;
  ofChannel: Count;
}

function startReader(like: Sqlite.Database): Reader {
  const client = openReader(like);
  return {
    client,
    next: client.prepare(
      'SELECT subject_id AS id, builds, takers FROM download_sums WHERE subject_id > ? ORDER BY subject_id LIMIT 1',
    ),
    builds: client.prepare(BUILDS_OF),
    ofRelease: client.prepare(peopleOf('release_id')),
    ofChannel: client.prepare(peopleOf('channel_id')),
  };
}

/**
 * Counts the distinct builds and people of releases and channels. A channel can have so many that it takes several steps, and downloads and
 * deletions between them. So a subject is counted in a snapshot, and what its row lacked there is added: what the triggers counted since
 * then stays.
 */
class SumCounter {
  readonly #client: Sqlite.Database;
  readonly #size: StepSize;
  #reader: Reader | undefined;
  /** The count that has begun at a position. */
  #begun: { position: string; count: Generator<undefined, Sum | undefined> } | undefined;

  constructor(client: Sqlite.Database, size: StepSize) {
    this.#client = client;
    this.#size = size;
  }

  /** Counts for one step. From then on, triggers keep the sums of what is complete. */
  step(row: FillRow): ReturnType<Step> {
    let { position } = row;
    const endsAt = performance.now() + this.#size.ms;
    do {
      // The transaction of the step before was rolled back, or another process continued.
      if (this.#begun?.position !== position) this.#begin(position);
      const turn = this.#begun?.count.next();
      if (turn?.done !== true) continue;
      this.#end();
      if (turn.value === undefined) return undefined;
      const { id, builds, takers } = turn.value;
      this.#client.prepare(ADD_COUNTED).run(builds, takers, id);
      position = id;
    } while (performance.now() < endsAt);
    return { position, rows: 0 };
  }

  close(): void {
    this.#begun = undefined;
    this.#reader?.client.close();
    this.#reader = undefined;
  }

  #begin(position: string): void {
    this.#end();
    this.#reader ??= startReader(this.#client);
    this.#reader.client.exec('BEGIN');
    this.#begun = { position, count: countSubject(this.#reader, this.#size.counted, position) };
  }

  /** Ends the snapshot, because the write-ahead log can't be started over while it's open. */
  #end(): void {
    this.#begun = undefined;
    if (this.#reader?.client.inTransaction === true) this.#reader.client.exec('COMMIT');
  }
}

/** Counts the release or channel after a position. Returns what its row lacks; undefined if there is none. */
function* countSubject(reader: Reader, limit: number, position: string): Generator<undefined, Sum | undefined> {
  const stored = reader.next.get(position);
  if (stored === undefined) return undefined;
  const { id } = stored;
  const builds = yield* countAll(reader.builds, limit, id);
  const takers = (yield* countAll(reader.ofRelease, limit, id)) + (yield* countAll(reader.ofChannel, limit, id));
  return { id, builds: builds - stored.builds, takers: takers - stored.takers };
}

function* countAll(count: Count, limit: number, id: string): Generator<undefined, number> {
  let total = 0;
  for (let after = ''; ; ) {
    const { found, last } = count.get({ id, after, limit }) ?? { found: 0, last: null };
    total += found;
    if (last === null || found < limit) return total;
    after = last;
    yield;
  }
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
function fillVersionKeys(client: Sqlite.Database, { position }: FillRow, rows: number): ReturnType<Step> {
  const found = client
    .prepare<[string, number], Version>(`${VERSIONS} WHERE id > ? ORDER BY id LIMIT ?`)
    .all(position, rows);
  setVersionKeys(client, found);
  const last = found.at(-1);
  return last && { position: last.id, rows: found.length };
}

/** Does the same for the newest builds of a project, which is asked for now. Returns whether some may be left. */
export function fillVersionKeysOf(client: Sqlite.Database, projectId: string): boolean {
  const found = client
    .prepare<[string, number], Version>(
      `${VERSIONS} WHERE project_id = ? AND version_key = '' ORDER BY id DESC LIMIT ?`,
    )
    .all(projectId, VERSION_KEYS_OF_STEP);
  setVersionKeys(client, found);
  return found.length === VERSION_KEYS_OF_STEP;
}

/** Whether builds have no keys yet by which they are sorted by version. */
export function isFillingVersions(client: Sqlite.Database): boolean {
  return client.prepare("SELECT 1 FROM background_fills WHERE name = 'version_keys'").get() !== undefined;
}
