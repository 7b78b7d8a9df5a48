// The runs of backups. Works on the connection, because commands write them without opening an app.
import type Sqlite from 'better-sqlite3';
import { hasTable } from '../data/has-table.ts';

export type BackupRun = {
  id: number;
  startedAt: number;
  finishedAt: number | null;
  place: string;
  state: 'running' | 'succeeded' | 'failed';
  backupId: string | null;
  addedBytes: number | null;
  totalBytes: number | null;
  objects: number | null;
  problem: string | null;
};

const COLUMNS = `id, started_at AS startedAt, finished_at AS finishedAt, place, state, backup_id AS backupId,
  added_bytes AS addedBytes, total_bytes AS totalBytes, objects, problem`;

/** Older runs tell nothing that the newer ones don't, except for the last one and the last success of each place. */
const KEPT_RUNS = 500;
const DELETE_OLD = `DELETE FROM backup_runs WHERE id <= @before
  AND id NOT IN (SELECT max(id) FROM backup_runs GROUP BY place)
  AND id NOT IN (SELECT max(id) FROM backup_runs WHERE state = 'succeeded' GROUP BY place)`;
const MAX_PROBLEM_CHARACTERS = 1_000;
/** The problem of a run that ended with its process. */
export const INTERRUPTED = 'the backup was interrupted';

type Client = Sqlite.Database;

/** Whether the database has the table: that of an earlier version doesn't. */
export function hasBackupRuns(client: Client): boolean {
  return hasTable(client, 'backup_runs');
}

/** Records the start of a run. Returns its id. */
export function insertRun(client: Client, run: Pick<BackupRun, 'startedAt' | 'place'>): number {
  const { lastInsertRowid } = client
    .prepare("INSERT INTO backup_runs (started_at, place, state) VALUES (@startedAt, @place, 'running')")
    .run(run);
  client.prepare(DELETE_OLD).run({ before: Number(lastInsertRowid) - KEPT_RUNS });
  return Number(lastInsertRowid);
}

/** Records the end of a run. */
export function finishRun(client: Client, id: number, run: Omit<BackupRun, 'id' | 'startedAt' | 'place'>): void {
  client
    .prepare(
      `UPDATE backup_runs SET finished_at = @finishedAt, state = @state, backup_id = @backupId, added_bytes = @addedBytes,
        total_bytes = @totalBytes, objects = @objects, problem = @problem WHERE id = @id`,
    )
    .run({ ...run, id, problem: run.problem?.slice(0, MAX_PROBLEM_CHARACTERS) ?? null });
}

/** Records a run that failed before it could be recorded as running. */
export function insertFailedRun(client: Client, run: { startedAt: number; place: string }, failure: RunFailure): void {
  finishRun(client, insertRun(client, run), { ...NO_RESULT, state: 'failed', ...failure });
}

export type RunFailure = { finishedAt: number; problem: string };

/** What a failed run has instead of a result. */
export const NO_RESULT = { backupId: null, addedBytes: null, totalBytes: null, objects: null };

/** Whether a run is going on, or ended with its process without being recorded. */
export function hasUnfinishedRun(client: Client): boolean {
  return client.prepare("SELECT 1 FROM backup_runs WHERE state = 'running' LIMIT 1").get() !== undefined;
}

/** Records that runs ended with their process. */
export function endInterruptedRuns(client: Client, now: number): void {
  client
    .prepare("UPDATE backup_runs SET state = 'failed', finished_at = ?, problem = ? WHERE state = 'running'")
    .run(now, INTERRUPTED);
}

export function findLastRun(client: Client, place: string): BackupRun | undefined {
  return client
    .prepare<[string], BackupRun>(`SELECT ${COLUMNS} FROM backup_runs WHERE place = ? ORDER BY id DESC LIMIT 1`)
    .get(place);
}

export function findLastSuccess(client: Client, place: string): BackupRun | undefined {
  return client
    .prepare<[string], BackupRun>(
      `SELECT ${COLUMNS} FROM backup_runs WHERE place = ? AND state = 'succeeded' ORDER BY id DESC LIMIT 1`,
    )
    .get(place);
}
