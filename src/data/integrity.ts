// Integrity of the database file, checked before anything is written to it.
import { setPriority } from 'node:os';
import type Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { QUICK_CHECK_COMMAND, runOwnCommand } from '../lib/process.ts';
import { findDamage } from './damage.ts';
import { databaseBytes } from './database-size.ts';

/** The server can't start: the database file is damaged. */
export class DatabaseDamagedError extends Error {}

interface IntegrityState {
  status: 'intact' | 'checking' | 'damaged' | 'unknown';
  /** Problems in SQLite's wording, at most ten. */
  problems: readonly string[];
  /** End of the check, in milliseconds. */
  checkedAt: number | null;
}

export interface Integrity {
  state(): IntegrityState;
  /** Resolves when a check in the background has ended. */
  settled: Promise<void>;
  /** Stops a running check. */
  stop(): void;
}

export interface IntegrityParts {
  client: Sqlite.Database;
  clock: Clock;
  log: Pick<Logger, 'error' | 'info' | 'warn'>;
  nativeBinding: string | undefined;
  /** Whether to also check a large database, in another process. False for short-lived commands. */
  isServing: boolean;
  /** Maximum time that the start waits for that process. */
  budgetMs?: number;
  /** Databases up to this size are checked in this process. */
  smallBytes?: number;
}

const START_BUDGET_MS = 1_000;
/** Checked in a tenth of a second on a slow machine. */
const SMALL_BYTES = 12 * 1024 * 1024;
const LOW_PRIORITY = 10;

/**
 * Checks the database: a small one completely, a large one with SQLite's quick check in another process. The start waits one
 * second for it; then the check continues in the background. Throws DatabaseDamagedError for damage found by then.
 */
export async function checkIntegrity(parts: IntegrityParts): Promise<Integrity> {
  const { client, clock, isServing, budgetMs = START_BUDGET_MS, smallBytes = SMALL_BYTES } = parts;
  let state: IntegrityState = { status: 'unknown', problems: [], checkedAt: null };
  const end = (problems: readonly string[]): void => {
    const status = problems.length === 0 ? 'intact' : 'damaged';
    state = { status, problems, checkedAt: clock.time() };
  };
  const idle = { state: () => state, settled: Promise.resolve(), stop: () => undefined };

  // Fails now, with SQLITE_READONLY, instead of on the first request if the file isn't writable.
  if (isServing) client.exec('BEGIN IMMEDIATE; ROLLBACK');
  if (databaseBytes(client) <= smallBytes) {
    end(findDamage(client, 'integrity_check'));
    refuseDamaged(client.name, state);
    return idle;
  }
  if (!isServing) return idle;
  state = { ...state, status: 'checking' };
  const { verdict, stop } = checkInProcess(client.name, parts.nativeBinding);
  let isStarting = true;
  let isStopped = false;
  const settled = verdict.then(
    (problems) => {
      end(problems);
      if (isStarting) return;
      if (problems.length > 0) parts.log.error({ problems }, 'database damaged');
      else parts.log.info('database intact');
    },
    (error: unknown) => {
      state = { ...state, status: 'unknown' };
      if (!isStopped) parts.log.warn({ err: error }, 'database check failed');
    },
  );
  await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, budgetMs))]);
  isStarting = false;
  refuseDamaged(client.name, state);
  return {
    state: () => state,
    settled,
    stop() {
      isStopped = true;
      stop();
    },
  };
}

function refuseDamaged(file: string, { status, problems }: IntegrityState): void {
  if (status === 'damaged') throw damagedError(file, problems);
}

/** Creates the error with the first problem and the remedy. */
export function damagedError(file: string, problems: readonly string[]): DatabaseDamagedError {
  const [first = 'unreadable'] = problems;
  return new DatabaseDamagedError(
    `the database ${file} is damaged (${first.split('\n')[0]}). Nothing was changed. Restore it from a backup, and check the disk.`,
  );
}

/** Parses the output of the other process. Output other than its JSON is reported as a problem. */
function readProblems(text: string): string[] {
  try {
    return (JSON.parse(text) as { problems: string[] }).problems;
  } catch {
    return [`unexpected output of the check: ${JSON.stringify(text.slice(0, 200))}`];
  }
}

function checkInProcess(file: string, nativeBinding: string | undefined) {
  const args = [QUICK_CHECK_COMMAND, file, ...(nativeBinding === undefined ? [] : [nativeBinding])];
  const { child, output } = runOwnCommand(args, { what: 'the check' });
  child?.once('spawn', () => {
    try {
      if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY);
    } catch {
      // The process may have ended, or the account may lack the permission. The check then runs at normal priority.
    }
  });
  // The server can exit without waiting for the check.
  child?.unref();
  return { verdict: output.then(readProblems), stop: () => void child?.kill('SIGKILL') };
}
