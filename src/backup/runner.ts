// Backups of a running server: by schedule and by request, in a process of their own, so that none of the work delays requests.
import { Cron } from 'croner';
import type { App } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { nativeBindingOf } from '../data/database.ts';
import { MINUTE } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { describeFailure } from '../lib/failure.ts';
import { RUN_BACKUP_COMMAND, runOwnCommand } from '../lib/process.ts';
import { acquireLocks, InUseError, LockFileError } from '../runtime/lock.ts';
import { backupLock } from './lock.ts';
import { endInterruptedRuns, findLastRun, hasUnfinishedRun, insertFailedRun } from './run-store.ts';

export type BackupRunner = {
  /** Starts a backup in the background. Throws `operation_not_allowed` while one runs. */
  start(): void;
  isRunning(): boolean;
  /** When the schedule starts the next one; null for never. */
  nextRunAt(): number | null;
  /** Resolves when the current backup has ended. */
  settled(): Promise<void>;
  schedule(): void;
  stop(): void;
};

/** A backup that was due while the server was stopped is created this long after the start, which it would slow down. */
const CATCH_UP_MS = 10 * MINUTE;

export const backupRunnerOf = definePart<BackupRunner>({
  open: (app) => createRunner(app),
  start: (runner) => runner.schedule(),
  close: (runner) => runner.stop(),
});

function createRunner(app: App): BackupRunner {
  const { config, log, db, clock } = app;
  const { directory: place, schedule } = config.backup;
  let cron: Cron | undefined;
  let catchUp: NodeJS.Timeout | undefined;
  let isStopped = false;
  let current: { done: Promise<void>; stop(): void } | undefined;

  function start(): void {
    if (current !== undefined) throw new AppError('operation_not_allowed', 'A backup is already running');
    const startedAt = clock.time();
    const before = findLastRun(db.$client, place)?.id;
    const { done, stop } = runInProcess(app);
    const ended = done
      .catch((error: unknown): Outcome => ({ problem: describeFailure(error) }))
      .then(({ problem, is_in_use: isInUse }) => {
        if (problem === undefined) log.info({ place }, 'backup created');
        else log.error({ place, problem }, 'backup failed');
        // The database is closed, and the next start does this.
        if (isStopped) return;
        endInterrupted(app);
        if (problem === undefined || isInUse === true || findLastRun(db.$client, place)?.id !== before) return;
        insertFailedRun(db.$client, { startedAt, place }, { finishedAt: clock.time(), problem });
      })
      .catch((error: unknown) => log.error({ place, err: error }, 'the result of a backup was not recorded'))
      .finally(() => {
        current = undefined;
      });
    current = { done: ended, stop };
  }

  return {
    start,
    isRunning: () => current !== undefined,
    nextRunAt: () => cron?.nextRun(app.clock.now())?.getTime() ?? null,
    settled: async () => current?.done,
    schedule() {
      endInterrupted(app);
      if (schedule === '') return;
      // A database that can't be read must not end the server.
      const onError = (error: unknown) => log.error({ place, err: error }, 'backup not started');
      const run = () => {
        if (current === undefined) start();
      };
      cron = new Cron(schedule, { utcOffset: 0, unref: true, catch: onError }, run);
      const isMissed = () => {
        const last = findLastRun(db.$client, place)?.startedAt;
        const due = last === undefined ? null : (cron?.nextRun(new Date(last)) ?? null);
        return due !== null && due <= clock.now();
      };
      if (!isMissed()) return;
      catchUp = setTimeout(() => {
        try {
          // One may have been created by a command since.
          if (isMissed()) run();
        } catch (error) {
          onError(error);
        }
      }, CATCH_UP_MS).unref();
    },
    stop() {
      isStopped = true;
      cron?.stop();
      clearTimeout(catchUp);
      current?.stop();
    },
  };
}

/** Runs of a process that was killed are over, unless a command runs one now. */
function endInterrupted({ config, db, clock, log }: App): void {
  if (!hasUnfinishedRun(db.$client)) return;
  try {
    // The addon is loaded already, so its file isn't checked again.
    const release = acquireLocks([backupLock(config)], nativeBindingOf(db.$client));
    endInterruptedRuns(db.$client, clock.time());
    release();
  } catch (error) {
    // Without the lock, they count as failed where they're shown.
    if (error instanceof LockFileError) log.warn({ err: error }, 'interrupted backups were not recorded');
    else if (!(error instanceof InUseError)) throw error;
  }
}

/** What the command prints: why there is no backup, and whether that's because another one is running. */
type Outcome = { problem?: string; is_in_use?: boolean };

/** Runs the hidden command with the configuration of this server, which may have no file. */
function runInProcess({ config }: App): { done: Promise<Outcome>; stop(): void } {
  const { child, output } = runOwnCommand([RUN_BACKUP_COMMAND], { what: 'the backup', input: JSON.stringify(config) });
  return { done: output.then(readResult), stop: () => void child?.kill('SIGTERM') };
}

function readResult(text: string): Outcome {
  try {
    return JSON.parse(text) as Outcome;
  } catch {
    return { problem: 'the output of the backup is incomplete' };
  }
}
