// Migrations: one transaction each, a copy before the first, newer databases rejected.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTableColumns, getTableName, is, Table } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../src/data/database.ts';
import {
  DatabaseSchemaError,
  DatabaseTooNewError,
  embeddedMigrations,
  migrateDatabase,
  migrationStatus,
} from '../../src/data/migrate.ts';
import * as tables from '../../src/data/tables/tables.ts';
import { systemClock } from '../../src/lib/clock.ts';

let folder: string;
let db: Db;
const first = { name: '0000_first', statements: ['CREATE TABLE a (id TEXT PRIMARY KEY NOT NULL) STRICT'] };
const second = { name: '0001_second', statements: ["INSERT INTO a VALUES ('x')", 'CREATE TABLE b (n INTEGER) STRICT'] };
const broken = { name: '0002_broken', statements: ['CREATE TABLE c (n INTEGER) STRICT', 'SELECT nonsense'] };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'migrate-'));
  db = openDatabase({ file: join(folder, 'test.db'), synchronous: 'full', busyTimeoutMs: 1000 });
});
afterEach(() => {
  db.$client.close();
  rmSync(folder, { recursive: true });
});

const tableNames = () => db.$client.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();

describe('migrations', () => {
  it('apply in order, once, and report their status', () => {
    expect(migrateDatabase(db.$client, systemClock, [first])).toEqual(['0000_first']);
    expect(migrateDatabase(db.$client, systemClock, [first, second])).toEqual(['0001_second']);
    expect(migrateDatabase(db.$client, systemClock, [first, second])).toEqual([]);
    expect(migrationStatus(db.$client, [first, second, broken])).toEqual({
      applied: ['0000_first', '0001_second'],
      waiting: ['0002_broken'],
      unknown: [],
    });
  });
  it('save a copy of a database with data before the first change', () => {
    migrateDatabase(db.$client, systemClock, [first]);
    expect(existsSync(join(folder, 'test.db.before-0000_first'))).toBe(false);
    migrateDatabase(db.$client, systemClock, [first, second]);
    const copy = openDatabase({
      file: join(folder, 'test.db.before-0001_second'),
      synchronous: 'full',
      busyTimeoutMs: 1000,
    });
    expect(migrationStatus(copy.$client, [first, second]).applied).toEqual(['0000_first']);
    copy.$client.close();
  });
  // Windows has no such modes.
  it.runIf(process.platform !== 'win32')('make database, journal and copy readable only by their owner', () => {
    migrateDatabase(db.$client, systemClock, [first]);
    migrateDatabase(db.$client, systemClock, [first, second]);
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({
      'test.db': 0o600,
      'test.db-shm': 0o600,
      'test.db-wal': 0o600,
      'test.db.before-0001_second': 0o600,
    });
  });
  it('never use an incomplete copy', () => {
    migrateDatabase(db.$client, systemClock, [first]);
    const copy = join(folder, 'test.db.before-0001_second');
    writeFileSync(`${copy}.${process.pid}.part`, 'half a copy');
    migrateDatabase(db.$client, systemClock, [first, second]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    const kept = openDatabase({ file: copy, synchronous: 'full', busyTimeoutMs: 1000 });
    expect(kept.$client.pragma('integrity_check', { simple: true })).toBe('ok');
    kept.$client.close();
  });
  it('replace the copy of an upgrade that ended before its first change', () => {
    migrateDatabase(db.$client, systemClock, [first]);
    const copy = join(folder, 'test.db.before-0001_second');
    db.$client.prepare('VACUUM INTO ?').run(copy);
    db.$client.exec("INSERT INTO a VALUES ('since')");
    migrateDatabase(db.$client, systemClock, [first, second]);
    const kept = openDatabase({ file: copy, synchronous: 'full', busyTimeoutMs: 1000 });
    expect(kept.$client.prepare('SELECT id FROM a').pluck().all()).toEqual(['since']);
    kept.$client.close();
  });
  it('save no copy of a database that is upgraded in part', () => {
    migrateDatabase(db.$client, systemClock, [first]);
    expect(() => migrateDatabase(db.$client, systemClock, [first, second, broken])).toThrow('nonsense');
    const fixed = { ...broken, statements: broken.statements.slice(0, 1) };
    expect(migrateDatabase(db.$client, systemClock, [first, second, fixed])).toEqual(['0002_broken']);
    expect(readdirSync(folder).filter((name) => name.includes('.before-'))).toEqual(['test.db.before-0001_second']);
    expect(tableNames()).toEqual(['schema_migrations', 'a', 'b', 'c']);
  });
  it('are applied once when two programs start simultaneously', () => {
    const other = openDatabase({ file: join(folder, 'test.db'), synchronous: 'full', busyTimeoutMs: 1000 });
    // Asked for the time between looking and writing.
    const clock = {
      now: () => new Date(),
      time() {
        migrateDatabase(other.$client, systemClock, [first, second]);
        return Date.now();
      },
    };
    migrateDatabase(db.$client, clock, [first, second]);
    expect(migrationStatus(db.$client, [first, second]).applied).toEqual(['0000_first', '0001_second']);
    expect(db.$client.prepare('SELECT count(*) FROM a').pluck().get()).toBe(1);
    other.$client.close();
  });
  it('roll back a failing one, and keep the ones before it', () => {
    expect(() => migrateDatabase(db.$client, systemClock, [first, broken])).toThrow('nonsense');
    expect(tableNames()).not.toContain('c');
    expect(migrationStatus(db.$client, [first, broken]).applied).toEqual(['0000_first']);
    expect(db.$client.pragma('foreign_keys', { simple: true })).toBe(1);
  });
  it('reject a database of a newer program', () => {
    migrateDatabase(db.$client, systemClock, [first, second]);
    expect(() => migrateDatabase(db.$client, systemClock, [first])).toThrow(DatabaseTooNewError);
    expect(() => migrateDatabase(db.$client, systemClock, [first])).toThrow(/newer version of Taxiway.*0001_second/);
  });
});

describe('a database whose tables differ from its migrations', () => {
  it('is upgraded if the tables are those that Litestream adds', () => {
    migrateDatabase(db.$client, systemClock, [first]);
    db.$client.exec(
      `CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE _litestream_lock (id INTEGER);`,
    );
    expect(migrateDatabase(db.$client, systemClock, [first, second])).toEqual(['0001_second']);
  });
  it('is rejected before anything changes, with the names of the tables', () => {
    migrateDatabase(db.$client, systemClock, [first]);
    db.$client.exec('ALTER TABLE a ADD COLUMN later TEXT');
    expect(() => migrateDatabase(db.$client, systemClock, [first, second])).toThrow(DatabaseSchemaError);
    expect(() => migrateDatabase(db.$client, systemClock, [first, second])).toThrow(
      /can't be upgraded: its tables differ from those of version 0\.1\.0 and later \(a\)/,
    );
    expect(migrationStatus(db.$client, [first, second]).applied).toEqual(['0000_first']);
    expect(readdirSync(folder).filter((name) => name.includes('before'))).toEqual([]);
  });
});

/** Inserts a row as a database of an earlier version has it. */
function insert(table: string, row: Record<string, string | number | null>): void {
  const names = Object.keys(row);
  const places = names.map((name) => `@${name}`).join(', ');
  db.$client.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`).run(row);
}

/** Applies the migrations before the one with a name. */
function migrateUntil(name: string): void {
  const all = embeddedMigrations();
  migrateDatabase(
    db.$client,
    systemClock,
    all.slice(
      0,
      all.findIndex((one) => one.name.endsWith(name)),
    ),
  );
}

describe('the migration that marks waiting devices without an owner', () => {
  it('marks those that wait already, and follows later owners', () => {
    migrateUntil('_bounded_lists');
    insert('developers', { id: 'd', email: 'd@example.com', display_name: 'd', created_at: 1 });
    insert('organizations', { id: 'o', name: 'O', tier: 'business', created_at: 1 });
    insert('projects', { id: 'p', organization_id: 'o', name: 'P', platform: 'ios', created_at: 1 });
    const flags = { auto_distribute: 0, notify_on_release: 0, public: 1 };
    insert('channels', { id: 'c', organization_id: 'o', project_id: 'p', name: 'C', created_at: 1, ...flags });
    const wait = (id: string, owner: string | null) => {
      insert('devices', { id, organization_id: 'o', udid: id, name: id, developer_id: owner, registered_at: 1 });
      insert('waiting_devices', { id, organization_id: 'o', channel_id: 'c', device_id: id, created_at: 1 });
    };
    wait('owned', 'd');
    wait('unowned', null);
    migrateDatabase(db.$client, systemClock);
    wait('late', null);
    const unowned = () => db.$client.prepare('SELECT id FROM waiting_devices WHERE is_unowned = 1').pluck().all();
    expect(unowned().sort()).toEqual(['late', 'unowned']);
    db.$client.exec("UPDATE devices SET developer_id = 'd' WHERE id = 'late'");
    expect(unowned()).toEqual(['unowned']);
    db.$client.exec("UPDATE devices SET developer_id = NULL WHERE id = 'owned'");
    expect(unowned().sort()).toEqual(['owned', 'unowned']);
  });
});

describe('the migration that lists the downloads of deleted projects', () => {
  it('for deletion, once per project', () => {
    migrateUntil('_downloads_of_deleted_projects');
    insert('organizations', { id: 'o', name: 'O', tier: 'business', created_at: 1 });
    insert('projects', { id: 'kept', organization_id: 'o', name: 'P', platform: 'ios', created_at: 1 });
    const download = (id: string, project: string) =>
      insert('downloads', { id, organization_id: 'o', project_id: project, build_id: 'b', created_at: 1 });
    for (const project of ['deleted', 'being deleted', 'kept', 'other']) {
      for (const n of [1, 2]) download(`${n} of ${project}`, project);
    }
    const removal = { root_table: 'projects', actor_kind: 'developer', facts: '{}', created_at: 1 };
    insert('removals', { root_id: 'being deleted', ...removal });
    migrateDatabase(db.$client, systemClock);
    const listed = db.$client
      .prepare('SELECT root_id, root_table, actor_kind FROM removals ORDER BY root_id')
      .raw()
      .all();
    expect(listed).toEqual([
      ['being deleted', 'projects', 'developer'],
      ['deleted', 'projects', 'system'],
      ['other', 'projects', 'system'],
    ]);
  });
});

describe('the migration that adds owners', () => {
  it('gives tokens and invitations their owners, contests unverified accounts, and stores domains in ASCII', () => {
    migrateUntil('_standing');
    const developer = (id: string, email: string, verified: number | null) =>
      insert('developers', { id, email, email_verified_at: verified, display_name: id, created_at: 1 });
    developer('d1', 'dana@exämple.com', 1);
    developer('d2', 'new@example.com', null);
    developer('d3', 'twin@bücher.example', 1);
    developer('d4', 'twin@xn--bcher-kva.example', 1);
    insert('organizations', { id: 'o', name: 'O', tier: 'business', created_at: 1 });
    insert('projects', { id: 'p', organization_id: 'o', name: 'P', platform: 'ios', created_at: 1 });
    const inProject = { organization_id: 'o', project_id: 'p' };
    const times = { created_at: 1, expires_at: 2 };
    insert('project_access_tokens', {
      ...inProject,
      id: 't',
      name: 'ci',
      role: 'read',
      token_hash: 't',
      created_by: 'd1',
      created_at: 1,
    });
    const invitation = {
      ...inProject,
      ...times,
      id: 'i',
      email: 'jo@exämple.com',
      role: 'read',
      token_hash: 'i',
      sent_at: 1,
    };
    insert('member_invitations', { ...invitation, invited_by: 'd1' });
    const link = {
      token_hash: 'l',
      kind: 'verify_email',
      developer_id: 'd2',
      email: 'new@example.com',
      password_hash: 'h',
    };
    insert('account_links', { ...link, ...times });

    migrateDatabase(db.$client, systemClock);
    const rows = (sql: string) => db.$client.prepare(sql).raw().all();
    expect(rows('SELECT id, email, is_contested FROM developers ORDER BY id')).toEqual([
      ['d1', 'dana@xn--exmple-cua.com', 0],
      ['d2', 'new@example.com', 1],
      ['d3', 'twin@bücher.example', 0],
      ['d4', 'twin@xn--bcher-kva.example', 0],
    ]);
    expect(rows('SELECT owner_id FROM project_access_tokens')).toEqual([['d1']]);
    expect(rows('SELECT backed_by, email FROM member_invitations')).toEqual([['d1', 'jo@xn--exmple-cua.com']]);
    expect(rows('SELECT token_hash FROM account_links')).toEqual([['l']]);
    // The account goes, what it gave stays without it.
    db.$client.exec("DELETE FROM developers WHERE id = 'd1'");
    expect(rows('SELECT owner_id FROM project_access_tokens')).toEqual([[null]]);
    expect(rows('SELECT backed_by FROM member_invitations')).toEqual([[null]]);
  });
});

describe('the schema', () => {
  it('of the migrations is the one of the queries, with STRICT tables', () => {
    migrateDatabase(db.$client, systemClock);
    const known = Object.values(tables).filter((table) => is(table, Table));
    for (const table of known) {
      const name = getTableName(table);
      const columns = db.$client.pragma(`table_info(${name})`) as { name: string; notnull: number }[];
      const expected = Object.values(getTableColumns(table)).map((column) => [column.name, column.notNull]);
      expect(columns.map((column) => [column.name, column.notnull === 1]).sort(), name).toEqual(expected.sort());
    }
    const strict = db.$client.pragma('table_list') as { name: string; strict: number; schema: string }[];
    const loose = strict.filter((table) => table.strict === 0 && !table.name.startsWith('sqlite_'));
    expect(loose.map((table) => table.name)).toEqual([]);
  });
  it('is opened with full durability', () => {
    const pragma = (name: string) => db.$client.pragma(name, { simple: true });
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1]);
  });
});
