// Compares the totals that triggers keep (tables/totals.ts) with a recount, and corrects them. Reads every row that is counted, so
// only a command does it.
import type Sqlite from 'better-sqlite3';
import { hasTable } from './has-table.ts';

/** Small enough that a server gets the lock between two transactions. */
const CORRECTED_TOGETHER = 100;

type Change = 'sum' | 'min' | 'max';

interface Totals {
  table: string;
  keys: readonly string[];
  columns: Readonly<Record<string, Change>>;
  /** A column that isn't counted, such as the organization of a project. */
  fixed?: string;
  /** The key that is a release or a channel. */
  subject?: string;
  /** Selects the keys, the fixed column and the columns. */
  recount: string;
}

/** Those of deleted projects are deleted in steps, after their totals. With a plus, which keeps the order of the subjects' index. */
const OF_PROJECTS = '+project_id IN (SELECT id FROM projects)';

const downloadsOf = (subject: 'release_id' | 'channel_id') => `
  SELECT ${subject} AS subject_id, count(*) AS downloads, count(DISTINCT build_id) AS builds,
      count(DISTINCT developer_id) AS takers, min(created_at) AS first_at, max(created_at) AS last_at
    FROM downloads WHERE ${subject} IS NOT NULL AND ${OF_PROJECTS} GROUP BY 1`;
const buildsOf = (subject: 'release_id' | 'channel_id') => `
  SELECT ${subject} AS subject_id, build_id, count(*) AS downloads, min(created_at) AS first_at, max(created_at) AS last_at
    FROM downloads WHERE ${subject} IS NOT NULL AND ${OF_PROJECTS} GROUP BY 1, 2`;
const reportsOf = (subject: 'id' | 'channel_id') => `
  SELECT r.${subject} AS subject_id, p.created_at / 86400000 AS day, p.state, count(*) AS reports
    FROM sdk_reports p JOIN releases r ON r.id = p.release_id GROUP BY 1, 2, 3`;

const period = { first_at: 'min', last_at: 'max' } as const;

const all: readonly Totals[] = [
  {
    table: 'download_sums',
    keys: ['subject_id'],
    columns: { downloads: 'sum', builds: 'sum', takers: 'sum', ...period },
    recount: `${downloadsOf('release_id')} UNION ALL ${downloadsOf('channel_id')}`,
    subject: 'subject_id',
  },
  {
    table: 'download_totals',
    keys: ['subject_id', 'build_id'],
    columns: { downloads: 'sum', ...period },
    recount: `${buildsOf('release_id')} UNION ALL ${buildsOf('channel_id')}`,
    subject: 'subject_id',
  },
  {
    table: 'download_days',
    keys: ['channel_id', 'day'],
    columns: { downloads: 'sum' },
    recount: `SELECT channel_id, created_at / 86400000 AS day, count(*) AS downloads FROM downloads
      WHERE channel_id IS NOT NULL AND ${OF_PROJECTS} GROUP BY 1, 2`,
    subject: 'channel_id',
  },
  {
    table: 'report_days',
    keys: ['subject_id', 'day', 'state'],
    columns: { reports: 'sum' },
    recount: `${reportsOf('id')} UNION ALL ${reportsOf('channel_id')}`,
  },
  {
    table: 'build_totals',
    keys: ['project_id', 'backend'],
    columns: { builds: 'sum', bytes: 'sum' },
    fixed: 'organization_id',
    recount: `SELECT project_id, coalesce(backend, '') AS backend, organization_id, count(*) AS builds, sum(size_bytes) AS bytes
      FROM builds LEFT JOIN object_places USING (object_key) GROUP BY 1, 2`,
  },
  {
    table: 'group_totals',
    keys: ['group_id'],
    columns: { members: 'sum' },
    recount: 'SELECT group_id, count(*) AS members FROM tester_group_members GROUP BY 1',
  },
];

/** A row of totals that differs: each column as it is stored and as it was counted, null where one of them has no row. */
export interface Difference {
  totals: Totals;
  row: Record<string, string | number | null>;
}

/** Whether the database has the totals, which earlier versions didn't have. */
export function hasTotals(client: Sqlite.Database): boolean {
  return hasTable(client, 'download_sums');
}

/** Returns the totals that differ from a recount, by table with the number of rows. */
export function compareTotals(client: Sqlite.Database): { table: string; rows: number }[] {
  const found = findDifferences(client);
  return all
    .map((totals) => ({ table: totals.table, rows: found.filter((one) => one.totals === totals).length }))
    .filter(({ rows }) => rows > 0);
}

/**
 * Corrects the totals that differ from a recount, and returns their number. A server can run: the recount reads a snapshot, and
 * only what differs in it is then added, so that what the triggers counted since then stays.
 */
export function repairTotals(client: Sqlite.Database): number {
  const found = findDifferences(client);
  correctTotals(client, found);
  return found.length;
}

/** Corrects totals by what a snapshot showed, which may have changed since. */
export function correctTotals(client: Sqlite.Database, found: readonly Difference[]): void {
  const correctAll = client.transaction((some: readonly Difference[]) => {
    for (const difference of some) correct(client, difference);
  });
  for (let from = 0; from < found.length; from += CORRECTED_TOGETHER) {
    correctAll.immediate(found.slice(from, from + CORRECTED_TOGETHER));
  }
}

/** Returns the totals that differ from a recount, all of the same moment. */
export function findDifferences(client: Sqlite.Database): Difference[] {
  // In one transaction, so that all tables are of the same moment. Earlier versions didn't have all of them.
  return client.transaction(() =>
    all
      .filter(({ table }) => hasTable(client, table))
      .flatMap((totals) =>
        client
          .prepare<[], Difference['row']>(compare(totals))
          .all()
          .map((row) => ({ totals, row })),
      ),
  )();
}

/** Totals without downloads are what is left of a deleted project, unless their release or channel exists. */
const isKept = (subject: string) =>
  `(r.${subject} IS NOT NULL OR ${['releases', 'channels']
    .map(
      (table) => `EXISTS (SELECT 1 FROM ${table} t JOIN projects p ON p.id = t.project_id WHERE t.id = s.${subject})`,
    )
    .join(' OR ')})`;

function compare({ table, keys, columns, fixed, subject, recount }: Totals): string {
  const names = Object.keys(columns);
  const wanted = [
    ...keys.map((key) => `coalesce(r.${key}, s.${key}) AS ${key}`),
    ...(fixed === undefined ? [] : [`coalesce(r.${fixed}, s.${fixed}) AS ${fixed}`]),
    ...names.flatMap((name) => [`r.${name} AS counted_${name}`, `s.${name} AS stored_${name}`]),
  ];
  return `SELECT ${wanted.join(', ')} FROM (${recount}) r
    FULL OUTER JOIN ${table} s ON ${keys.map((key) => `s.${key} = r.${key}`).join(' AND ')}
    WHERE (${names.map((name) => `r.${name} IS NOT s.${name}`).join(' OR ')})
      ${subject === undefined ? '' : `AND ${isKept(subject)}`}`;
}

function correct(client: Sqlite.Database, { totals, row }: Difference): void {
  const { table, keys, columns, fixed } = totals;
  const names = Object.keys(columns);
  const own = fixed === undefined ? keys : [...keys, fixed];
  const values: Record<string, string | number | null> = Object.fromEntries(own.map((key) => [key, row[key] ?? null]));
  for (const [name, change] of Object.entries(columns)) {
    const [counted, stored] = [row[`counted_${name}`] ?? null, row[`stored_${name}`] ?? null];
    values[name] = change === 'sum' ? Number(counted) - Number(stored) : (counted ?? stored);
    values[`stored_${name}`] = stored;
  }
  const set = Object.entries(columns).map(([name, change]) =>
    change === 'sum'
      ? `${name} = ${name} + @${name}`
      : // What changed since the snapshot was changed by an event, so it is right as far as it goes.
        `${name} = iif(${name} = @stored_${name}, @${name}, ${change}(${name}, @${name}))`,
  );
  const isRow = keys.map((key) => `${key} = @${key}`).join(' AND ');
  const { changes } = client.prepare(`UPDATE ${table} SET ${set.join(', ')} WHERE ${isRow}`).run(values);
  // Without a row of totals in the snapshot. A row that was there has been deleted with what it counted.
  if (changes === 0 && names.every((name) => (row[`stored_${name}`] ?? null) === null)) {
    const listed = [...own, ...names];
    client
      .prepare(`INSERT INTO ${table} (${listed.join(', ')}) VALUES (${listed.map((name) => `@${name}`).join(', ')})`)
      .run(values);
  }
  const sums = names.filter((name) => columns[name] === 'sum');
  client
    .prepare(`DELETE FROM ${table} WHERE ${isRow} AND ${sums.map((name) => `${name} <= 0`).join(' AND ')}`)
    .run(values);
}
