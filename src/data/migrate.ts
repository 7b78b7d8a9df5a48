// Migrations: embedded SQL files applied at start, each in its own transaction, after a copy of the database is saved.
import type Sqlite from 'better-sqlite3';
import { listAssets, readAsset } from '../lib/assets.ts';
import type { Clock } from '../lib/clock.ts';
import { writeAside } from '../lib/durable-file.ts';
import { withAsciiDomain } from '../lib/email-domain.ts';
import { findBaseline } from './baseline.ts';
import { findBrokenReferences } from './broken-references.ts';
import { openScratchDatabase, withTemporaryFiles } from './database.ts';
import { hasTable } from './has-table.ts';

export interface Migration {
  name: string;
  readonly statements: string[];
}

/** Exists while an upgrade of several migrations isn't complete, so that the next start doesn't copy a half-upgraded database. */
const MARK = 'upgrade_in_progress';

/** The server can't start: the database was written by a newer version. */
export class DatabaseTooNewError extends Error {}

/** The database can't be upgraded: its tables differ from those that the applied migrations create. */
export class DatabaseSchemaError extends Error {}

let embedded: readonly Migration[] | undefined;

/** Returns the embedded migrations in order. Their statements are read when they're used, because most starts apply none. */
export function embeddedMigrations(): readonly Migration[] {
  embedded ??= listAssets('migrations')
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
    .map((name) => ({
      name: name.replace(/\.sql$/, ''),
      get statements() {
        return readStatements(name);
      },
    }));
  return embedded;
}

function readStatements(name: string): string[] {
  return readAsset(`migrations/${name}`)
    .toString('utf8')
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

export interface MigrationStatus {
  applied: string[];
  waiting: string[];
  /** Migrations in the database that this version doesn't know, applied by a newer version. */
  unknown: string[];
}

/** Returns the applied, pending and unknown migrations of a database. */
export function migrationStatus(client: Sqlite.Database, migrations = embeddedMigrations()): MigrationStatus {
  const applied = hasTable(client, 'schema_migrations')
    ? client.prepare<[], { name: string }>('SELECT name FROM schema_migrations ORDER BY name').all()
    : [];
  const names = applied.map((row) => row.name);
  return {
    applied: names,
    waiting: migrations.filter((migration) => !names.includes(migration.name)).map((migration) => migration.name),
    unknown: names.filter((name) => !migrations.some((migration) => migration.name === name)),
  };
}

interface MigrateOptions {
  /** Whether the caller has a copy of the database, so that none is saved. */
  isCopied?: boolean;
}

/**
 * Applies all pending migrations and returns their names. A new database gets the tables of the baseline, and only the migrations
 * after it. Before the first change of an existing database, saves a copy next to it as `<file>.before-<migration>`. Each migration
 * is one transaction: an upgrade that was interrupted continues with the next one and keeps its copy. Throws DatabaseTooNewError if
 * the database is newer, and DatabaseSchemaError if it can't be upgraded.
 */
export function migrateDatabase(
  client: Sqlite.Database,
  clock: Clock,
  migrations = embeddedMigrations(),
  { isCopied = false }: MigrateOptions = {},
): string[] {
  const status = migrationStatus(client, migrations);
  if (status.unknown.length > 0) {
    throw new DatabaseTooNewError(
      `${client.name} was written by a newer version of Taxiway (it has ${status.unknown.join(', ')}). ` +
        'Start the newer version, or restore the copy saved before the upgrade.',
    );
  }
  const waiting = migrations.filter((migration) => status.waiting.includes(migration.name));
  const first = waiting[0];
  if (first === undefined) return [];
  if (status.applied.length > 0) {
    checkSchema(client, migrations, status.applied);
    if (!isCopied && !isInterrupted(client)) keepCopy(client, first);
  }

  client.exec(
    'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY NOT NULL, applied_at INTEGER NOT NULL) STRICT',
  );
  // Functions for values that SQL can't compute. They're deterministic, so that a migration can be repeated.
  addFunctions(client);
  // Rebuilding a table drops the old one, which would cascade. References are checked before each commit instead.
  client.pragma('foreign_keys = OFF');
  try {
    withTemporaryFiles(client, () => {
      const included = status.applied.length === 0 ? applyBaseline(client, migrations, clock.time()) : [];
      for (const migration of waiting.filter((one) => !included.includes(one))) {
        applyMigration(client, migration, { now: clock.time(), isLast: migration === waiting.at(-1) });
      }
    });
  } finally {
    client.pragma('foreign_keys = ON');
  }
  return waiting.map((migration) => migration.name);
}

/** Adds the functions that migrations call. */
function addFunctions(client: Sqlite.Database): void {
  client.function('ascii_address', { deterministic: true }, (text) => withAsciiDomain(String(text)));
}

/** Returns the definitions of all tables and indexes created by migrations, by name. Litestream adds two tables of its own. */
function schemaOf(client: Sqlite.Database): Map<string, string> {
  const rows = client
    .prepare<[string], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL
        AND tbl_name NOT IN ('schema_migrations', '_litestream_seq', '_litestream_lock', ?) ORDER BY name`,
    )
    .all(MARK);
  return new Map(rows.map(({ name, sql }) => [name, sql]));
}

/**
 * Compares the database with an empty one that has the same migrations. Development versions before 0.1.0 edited the first
 * migration in place: such a database lacks columns, so a later migration could fail or lose rows.
 */
function checkSchema(client: Sqlite.Database, migrations: readonly Migration[], applied: readonly string[]): void {
  const scratch = openScratchDatabase(client);
  addFunctions(scratch);
  try {
    for (const { name, statements } of migrations) {
      if (applied.includes(name)) for (const statement of statements) scratch.exec(statement);
    }
    const expected = schemaOf(scratch);
    const found = schemaOf(client);
    const different = [...new Set([...expected.keys(), ...found.keys()])].filter(
      (name) => expected.get(name) !== found.get(name),
    );
    if (different.length === 0) return;
    const names = different.length > 5 ? [...different.slice(0, 5), '…'] : different;
    throw new DatabaseSchemaError(
      `${client.name} can't be upgraded: its tables differ from those of version 0.1.0 and later (${names.join(', ')}). ` +
        'It was probably created by a development version. Start with an empty data folder, or restore a backup of a released version.',
    );
  } finally {
    scratch.close();
  }
}

/** Creates the tables of the baseline. Returns the migrations that it includes: none if another process has applied some since. */
function applyBaseline(client: Sqlite.Database, migrations: readonly Migration[], now: number): readonly Migration[] {
  const baseline = findBaseline(migrations, embeddedMigrations());
  if (baseline === undefined) return [];
  const { included, sql } = baseline;
  const apply = client.transaction(() => {
    if (migrationStatus(client, migrations).applied.length > 0) return [];
    client.exec(sql);
    for (const { name } of included) markApplied(client, name, now);
    if (included.length < migrations.length) setMark(client, true);
    return included;
  });
  return apply.immediate();
}

function markApplied(client: Sqlite.Database, name: string, now: number): void {
  client.prepare('INSERT INTO schema_migrations (name, applied_at) VALUES (?, ?)').run(name, now);
}

/** Sets or removes the mark of an upgrade that isn't complete. */
function setMark(client: Sqlite.Database, isIncomplete: boolean): void {
  client.exec(isIncomplete ? `CREATE TABLE IF NOT EXISTS ${MARK} (n INTEGER) STRICT` : `DROP TABLE IF EXISTS ${MARK}`);
}

function applyMigration(
  client: Sqlite.Database,
  migration: Migration,
  { now, isLast }: { now: number; isLast: boolean },
): void {
  // Takes the write lock immediately, not at the first write, because another process may be migrating.
  const apply = client.transaction(() => {
    if (isApplied(client, migration)) return;
    for (const statement of migration.statements) client.exec(statement);
    // Reads every row that has a reference, which takes seconds for millions of them.
    const broken = migration.statements.every(isHarmless) ? [] : findBrokenReferences(client);
    if (broken.length > 0) {
      throw new Error(`Migration ${migration.name} would break ${broken.length} references`);
    }
    markApplied(client, migration.name, now);
    setMark(client, !isLast);
  });
  apply.immediate();
}

/** Whether a statement can't break references: it changes no rows and drops no table. */
function isHarmless(statement: string): boolean {
  const sql = statement.replace(/^(?:--.*\n\s*)+/, '');
  return /^(?:CREATE (?:TABLE|(?:UNIQUE )?INDEX|TRIGGER)|DROP (?:INDEX|TRIGGER)|ALTER TABLE \S+ (?:ADD|RENAME COLUMN)) (?!.*\bAS SELECT\b)/.test(
    sql,
  );
}

function isApplied(client: Sqlite.Database, migration: Migration): boolean {
  return migrationStatus(client, [migration]).waiting.length === 0;
}

/** Whether an upgrade of the database began and isn't complete. */
export function isInterrupted(client: Sqlite.Database): boolean {
  return hasTable(client, MARK);
}

/** Another process upgraded the database while it was copied. */
class UpgradedMeanwhile extends Error {}

/** Saves a copy. Replaces one of an upgrade that ended before its first change, because the database may have changed since. */
function keepCopy(client: Sqlite.Database, first: Migration): void {
  try {
    // A partial copy under the final name would be mistaken for a complete one.
    writeAside(`${client.name}.before-${first.name}`, (aside) => {
      client.prepare('VACUUM INTO ?').run(aside);
      if (isApplied(client, first)) throw new UpgradedMeanwhile();
    });
  } catch (error) {
    if (!(error instanceof UpgradedMeanwhile)) throw error;
  }
}
