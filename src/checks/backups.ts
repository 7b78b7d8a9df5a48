// Health check of backups: the last run succeeded, and the last success isn't too old.
import type Sqlite from 'better-sqlite3';
import { Cron } from 'croner';
import { readLastRun } from '../backup/last-run.ts';
import { findLastSuccess, hasBackupRuns } from '../backup/run-store.ts';
import type { Config } from '../config.ts';
import { HOUR, timestamp } from '../lib/clock.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const NAME = 'backup';

/** A backup that is due is being created, or begins soon after the start of the server. */
const GRACE_MS = HOUR;

/** Whether the schedule had another backup after one, such as the next one of a week. Without a schedule, the age alone counts. */
function wasDueSince(startedAt: number, schedule: string, now: Date): boolean {
  if (schedule === '') return true;
  const next = new Cron(schedule, { paused: true, utcOffset: 0 }).nextRun(new Date(startedAt));
  return next !== null && next.getTime() + GRACE_MS <= now.getTime();
}

/** Says nothing without a schedule and a backup: how the server is backed up is then not known. */
export function checkBackups(config: Config, client: Sqlite.Database, now: Date): Finding[] {
  const { directory: place, schedule, warn_after_hours: hours } = config.backup;
  if (!hasBackupRuns(client)) return [];
  const last = readLastRun(config, client);
  const success = findLastSuccess(client, place);
  if (last?.state === 'failed') {
    const reason = last.problem ?? '';
    return [fail(NAME, `the last backup to ${place} failed: ${reason}`, 'backup_failed', { place, reason })];
  }
  if (success === undefined) {
    if (schedule === '') return [];
    return [warn(NAME, `no backup to ${place} yet; create one with "taxiway backup"`, 'backup_none', { place })];
  }
  const at = timestamp(success.finishedAt ?? success.startedAt);
  if (now.getTime() - success.startedAt > hours * HOUR && wasDueSince(success.startedAt, schedule, now)) {
    return [warn(NAME, `the last backup is of ${at}, more than ${hours} hours ago`, 'backup_old', { at, hours })];
  }
  if (success.problem !== null) {
    const { problem } = success;
    return [warn(NAME, `the last backup has a problem: ${problem}`, 'backup_incomplete', { problem })];
  }
  return [ok(NAME, `created at ${at}`, 'backup_recent', { at })];
}
