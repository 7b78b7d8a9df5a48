// Health checks of the database: integrity, migrations and clock.
import type Sqlite from 'better-sqlite3';
import { type Fill, listFills } from '../data/background-fills.ts';
import { findBrokenReferences } from '../data/broken-references.ts';
import { migrationStatus } from '../data/migrate.ts';
import { HOUR } from '../lib/clock.ts';
import { countOf } from '../lib/count.ts';
import { version } from '../lib/version.ts';
import { describeHold, readHold } from '../runtime/clock-guard.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const CLOCK_TOLERANCE_MS = 60_000;
const SHOWN = 3;

/** SQLite's own checks of pages, indexes and references; reads only. */
export function checkDatabase(client: Sqlite.Database): Finding {
  const problems = client.prepare<[], string>('PRAGMA quick_check(10)').pluck().all();
  if (problems[0] !== 'ok') return fail('database', `damaged: ${problems.slice(0, SHOWN).join('; ')}`);
  const broken = findBrokenReferences(client);
  if (broken.length === 0) return ok('database', `${client.name} is intact`);
  const rows = broken.slice(0, SHOWN).map((row) => `${row.table} row ${row.rowid} without its ${row.parent}`);
  return fail('database', `${broken.length} broken references: ${rows.join('; ')}`);
}

function sum(fills: readonly Fill[], column: 'done' | 'total'): number {
  return fills.reduce((all, fill) => all + (fill.name === 'download_sums' ? 0 : fill[column]), 0);
}

/** Checks that all migrations are applied and none is unknown. */
export function checkMigrations(client: Sqlite.Database): Finding {
  const { applied, waiting, unknown } = migrationStatus(client);
  if (unknown.length > 0)
    return fail(
      'migrations',
      `the database is newer than this program: it has ${unknown.join(', ')}`,
      'migrations_unknown',
      {
        names: unknown.join(', '),
      },
    );
  if (waiting.length > 0)
    return warn(
      'migrations',
      `${waiting.length} pending; "taxiway migrate" or the next start applies them`,
      'migrations_waiting',
      {
        count: waiting.length,
      },
    );
  const fills = listFills(client);
  if (fills.length > 0) {
    const [done, total] = [sum(fills, 'done'), sum(fills, 'total')];
    const percent = Math.floor((done * 100) / Math.max(total, 1));
    const detail = `applied; counts of earlier downloads and the order of builds by version are filled in the background (${percent} %)`;
    return ok('migrations', detail, 'migrations_filling', { percent });
  }
  return ok('migrations', `${applied.length} applied, none pending`, 'migrations_applied', { count: applied.length });
}

/** Checks that the clock isn't before the build time or the last event, and hasn't jumped recently. */
export function checkClock(now: Date, client: Sqlite.Database | undefined): Finding {
  const built = version.builtAt === null ? Number.NaN : Date.parse(version.builtAt);
  if (now.getTime() < built)
    return fail(
      'clock',
      `${now.toISOString()} is before this program was built (${version.builtAt})`,
      'clock_before_build',
      {
        now: now.toISOString(),
        built: version.builtAt ?? '',
      },
    );
  const newest = client === undefined ? null : findNewestEvent(client);
  if (newest !== null && newest > now.getTime() + CLOCK_TOLERANCE_MS) {
    return fail(
      'clock',
      `${now.toISOString()} is before the last event in the database (${new Date(newest).toISOString()})`,
      'clock_behind',
      { now: now.toISOString(), newest: new Date(newest).toISOString() },
    );
  }
  const hold = client === undefined ? undefined : readHold(client);
  if (hold === undefined) return ok('clock', now.toISOString(), 'clock_right', { now: now.toISOString() });
  const values = {
    from: new Date(hold.jumpedFrom).toISOString(),
    to: new Date(hold.jumpedTo).toISOString(),
    hours: Math.max(1, Math.round(hold.leftMs / HOUR)),
  };
  return hold.mayBeOff
    ? ok('clock', describeHold(hold), 'clock_machine_was_off', values)
    : warn('clock', describeHold(hold), 'clock_jumped', values);
}

function findNewestEvent(client: Sqlite.Database): number | null {
  // Ids are ordered by time, so the newest row is found without a scan.
  const newest = client.prepare<[], number>('SELECT timestamp FROM audit_events ORDER BY id DESC LIMIT 1').pluck();
  return newest.get() ?? null;
}

/** Whether the server is set up, and how many accounts it has. */
export function checkAccounts(client: Sqlite.Database): Finding {
  const count = client.prepare<[], number>('SELECT count(*) FROM developers').pluck().get() ?? 0;
  const operator = client.prepare('SELECT 1 FROM developers WHERE is_operator = 1 LIMIT 1').get();
  if (operator !== undefined) return ok('accounts', countOf(count, 'developer'));
  return warn(
    'accounts',
    'no operator account yet: "taxiway setup-link" prints the link to create the first admin account',
  );
}
