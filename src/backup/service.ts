// The state of backups for the operator, and starting one.
import type { App, DeveloperContext } from '../core/context.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import { readLastRun } from './last-run.ts';
import { type BackupRun, findLastSuccess } from './run-store.ts';
import { backupRunnerOf } from './runner.ts';
import type { BackupState } from './schema.ts';

/** Returns the state of backups. */
export function describeBackups(app: App): BackupState {
  const { directory: place, schedule } = app.config.backup;
  const runner = backupRunnerOf(app);
  const client = app.db.$client;
  const last = readLastRun(app.config, client);
  return {
    place,
    schedule,
    is_encrypted: app.config.backup.recipients.length > 0,
    is_running: runner.isRunning() || last?.state === 'running',
    next_run_at: timestampOrNull(runner.nextRunAt()),
    last_run: describeRun(last),
    last_success: describeRun(findLastSuccess(client, place)),
  };
}

function describeRun(run: BackupRun | undefined): BackupState['last_run'] {
  if (run === undefined) return null;
  return {
    state: run.state,
    started_at: timestamp(run.startedAt),
    finished_at: timestampOrNull(run.finishedAt),
    backup_id: run.backupId,
    objects: run.objects,
    added_bytes: run.addedBytes,
    total_bytes: run.totalBytes,
    problem: run.problem,
  };
}

/** Starts a backup. Throws `not_found` for people who aren't operators, or `operation_not_allowed`. */
export function startBackup(ctx: DeveloperContext): BackupState {
  if (!ctx.actor.isOperator) throw notFound();
  backupRunnerOf(ctx).start();
  ctx.log.info({ operator: ctx.actor.id }, 'backup requested');
  return describeBackups(ctx);
}
