// Deleted data is removed from all tables and from the bytes of the files.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openApp } from '../../src/app.ts';
import { configFrom } from '../../src/config.ts';
import { openDatabase, openReader } from '../../src/data/database.ts';
import { emptyLog, eraseEarlierFreePages } from '../../src/data/erasure.ts';
import { watchDatabase } from '../../src/data/health.ts';
import { developers } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, signIn } from '../support/harness.ts';

const PEOPLE = 12;
const PASSWORD = 'a password of some length 7!';
let fixture: Fixture;

beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.stop());

const sqlite = () => fixture.app.db.$client;
const addressOf = (number: number) => `leaving-person-${number}@erasure.example`;

/** Everything that is in the files of the database, as text. */
function readFiles(): string {
  const { file } = fixture.config.database;
  return readFileSync(file, 'latin1') + readFileSync(`${file}-wal`, 'latin1');
}

const countIn = (text: string, part: string) => text.split(part).length - 1;

/** Someone who signs up, uses what there is for people without an organization, and asks to be deleted. */
async function comeAndGo(number: number): Promise<{ id: string; hash: string }> {
  const email = addressOf(number);
  const anonymous = api(fixture, null);
  const name = `Leaving Person ${number}`;
  await anonymous.post('/api/v1/developers', { email, password: PASSWORD, display_name: name });
  const mail = await fixture.mail.waitFor(email);
  const [, token = ''] = /token=([\w-]+)/.exec(mail.text) ?? [];
  expect((await anonymous.post('/api/v1/developers/verify_email', { token })).status).toBe(200);
  await anonymous.post('/api/v1/login', { email, password: 'a wrong password 1' });
  await anonymous.post('/api/v1/developers/reset_password', { email });
  const { client } = await signIn(fixture, { email, password: PASSWORD });
  const row = fixture.app.db
    .select()
    .from(developers)
    .all()
    .find((developer) => developer.email === email);
  const id = row?.id ?? '';
  const renamed = await client.patch(`/api/v1/developers/${id}`, { display_name: `${name} the second` });
  expect(renamed.status).toBe(200);
  expect((await client.post(`/api/v1/developers/${id}/exports`)).status).toBe(202);
  const answer = await client.send('DELETE', `/api/v1/developers/${id}`, { body: { current_password: PASSWORD } });
  expect(answer.status, answer.text).toBe(204);
  return { id, hash: row?.passwordHash ?? '' };
}

/** Tables and columns that hold a text. */
function findInTables(part: string): string[] {
  const tables = sqlite().prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  return tables.flatMap((table) => {
    const columns = sqlite().prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    return columns
      .filter((column) => sqlite().prepare(`SELECT 1 FROM "${table}" WHERE instr("${column}", ?) > 0`).get(part))
      .map((column) => `${table}.${column}`);
  });
}

describe('deleted accounts', () => {
  it('remain in no table and in no byte of the database', async () => {
    const gone: { id: string; hash: string }[] = [];
    for (let number = 0; number < PEOPLE; number += 1) gone.push(await comeAndGo(number));
    await fixture.drain();
    const hashOf = ({ hash }: { hash: string }) => hash.split('$').at(-1) ?? '';
    expect(gone.map((person) => hashOf(person).length > 20)).not.toContain(false);
    const before = readFiles();
    expect(countIn(before, 'leaving-person')).toBeGreaterThan(PEOPLE);
    fixture.clock.advance(15 * DAY);
    expect(await fixture.sweep('account-deletions')).toBe(PEOPLE);
    for (let number = 0; number < PEOPLE; number += 1) expect(findInTables(addressOf(number))).toEqual([]);
    expect(findInTables('Leaving Person')).toEqual([]);
    // That an account was deleted is kept.
    for (const { id } of gone) expect(findInTables(id)).toEqual(['audit_events.identifier']);
    const bytes = readFiles();
    expect(countIn(bytes, 'leaving-person')).toBe(0);
    expect(countIn(bytes, 'Leaving Person')).toBe(0);
    for (const person of gone) expect(countIn(bytes, hashOf(person))).toBe(0);
  });

  it('also delete the invitations they accepted and their email cooldowns', async () => {
    const email = addressOf(0);
    await comeAndGo(0);
    const path = `/api/v1/organizations/${fixture.organization_id}/invitations`;
    await api(fixture).post(path, { email: addressOf(1), role: 'member' });
    expect(findInTables(email)).toContain('mail_cooldowns.recipient');
    const { id } = fixture.app.db
      .select()
      .from(developers)
      .all()
      .find((row) => row.email === email) ?? { id: '' };
    sqlite().prepare('UPDATE member_invitations SET email = ?, accepted_by = ?, accepted_at = 1').run(email, id);
    sqlite().prepare('DELETE FROM outbox_mails WHERE recipient = ?').run(addressOf(1));
    sqlite().prepare('UPDATE developers SET deletion_due_at = 1 WHERE id = ?').run(id);
    expect(await fixture.sweep('account-deletions')).toBe(1);
    expect(findInTables(email)).toEqual([]);
  });
});

describe('replaced secrets', () => {
  const token = 'a-token-of-a-link-in-a-mail';

  /** Emails whose texts are cleared, but still in the database file and in the write-ahead log. */
  async function sendMails(): Promise<void> {
    const insert = sqlite().prepare(
      `INSERT INTO outbox_mails (id, kind, recipient, subject, text, html, state, next_attempt_at, created_at)
        VALUES (?, 'password_reset', ?, 'Reset', ?, ?, 'pending', 0, 0)`,
    );
    for (let number = 0; number < 100; number += 1) {
      if (number === 50) await emptyLog(fixture.app);
      const text = `${token} ${'x'.repeat(number * 200)} ${token}`;
      insert.run(`mail ${number}`, `${number}@example.test`, text, text);
    }
    expect(countIn(readFiles(), token)).toBeGreaterThan(100);
    // As when an email was sent.
    sqlite().prepare("UPDATE outbox_mails SET state = 'sent', text = '', html = '' WHERE id LIKE 'mail %'").run();
  }

  /** Reads as a backup does: the log can't be truncated until it's closed. */
  function startBackup(): Sqlite.Database {
    const reader = openReader(sqlite());
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM outbox_mails').get();
    return reader;
  }

  const countJobs = () => sqlite().prepare("SELECT count(*) FROM jobs WHERE kind = 'erase-log'").pluck().get();

  async function pass(milliseconds: number): Promise<void> {
    fixture.clock.advance(milliseconds);
    await fixture.drain();
  }

  it('remain in no byte of the database after a checkpoint', async () => {
    await sendMails();
    await fixture.sweep('sessions');
    expect(countIn(readFiles(), token)).toBe(0);
    expect(countJobs()).toBe(0);
  });

  it('are erased within a minute after the end of a backup', async () => {
    const warn = vi.spyOn(fixture.app.log, 'warn');
    await sendMails();
    const backup = startBackup();
    await fixture.sweep('sessions');
    await fixture.sweep('sessions');
    expect(countJobs()).toBe(1);
    for (let minute = 0; minute < 10; minute += 1) await pass(MINUTE);
    expect(countIn(readFiles(), token)).toBeGreaterThan(0);
    backup.close();
    await pass(MINUTE - SECOND);
    expect(countIn(readFiles(), token)).toBeGreaterThan(0);
    await pass(SECOND);
    expect(countIn(readFiles(), token)).toBe(0);
    expect(countJobs()).toBe(0);
    expect(warn).not.toHaveBeenCalled();
  });

  it('are reported each hour of a backup, and erased when it ends', async () => {
    const warn = vi.spyOn(fixture.app.log, 'warn').mockImplementation(() => undefined);
    const warning = (retries: number) => [
      { retries },
      'deleted data not erased from the write-ahead log: another process, such as a backup, may be reading it',
    ];
    await sendMails();
    const backup = startBackup();
    await fixture.sweep('sessions');
    for (let minute = 1; minute < 60; minute += 1) await pass(MINUTE);
    expect(warn).not.toHaveBeenCalled();
    await pass(MINUTE);
    expect(warn.mock.calls).toEqual([warning(60)]);
    for (let minute = 1; minute <= 60; minute += 1) await pass(MINUTE);
    expect(warn.mock.calls).toEqual([warning(60), warning(120)]);
    expect(countJobs()).toBe(1);
    backup.close();
    await pass(MINUTE);
    expect(countIn(readFiles(), token)).toBe(0);
    expect(countJobs()).toBe(0);
  });

  it('wait for the next checkpoint of a long log, which would hold up all requests', async () => {
    const backup = startBackup();
    sqlite().exec('CREATE TABLE filling (content BLOB)');
    sqlite()
      .prepare('INSERT INTO filling VALUES (zeroblob(?))')
      .run(9 * 1024 * 1024);
    backup.close();
    expect(await emptyLog(fixture.app)).toBe(false);
    sqlite().pragma('wal_checkpoint(PASSIVE)');
    expect(await emptyLog(fixture.app)).toBe(true);
  });
});

describe('a database of an earlier version', () => {
  const file = () => `${fixture.config.server.data_dir}/earlier.db`;
  const open = () => openDatabase({ file: file(), synchronous: 'normal', busyTimeoutMs: 0 });
  let lines: string[];
  const log = {
    info: (_facts: unknown, text: string) => lines.push(text),
    warn: (_facts: unknown, text: string) => lines.push(text),
  } as never;
  const compacting = 'one-time database compaction to erase deleted data';

  beforeEach(() => {
    lines = [];
    const earlier = new Sqlite(file());
    earlier.exec("CREATE TABLE people (email TEXT); INSERT INTO people VALUES ('gone@erasure.example')");
    earlier.exec('PRAGMA secure_delete = OFF; DELETE FROM people');
    earlier.close();
    expect(countIn(readFileSync(file(), 'latin1'), 'gone@erasure.example')).toBe(1);
  });
  afterEach(() => rmSync(file()));

  it('is compacted once, which erases previously deleted values', () => {
    const { $client } = open();
    eraseEarlierFreePages($client, log, false);
    eraseEarlierFreePages($client, log, false);
    $client.close();
    expect(lines).toEqual([compacting]);
    expect(countIn(readFileSync(file(), 'latin1'), 'gone@erasure.example')).toBe(0);
  });

  it('is compacted by a later start if the first one could not', () => {
    const db = open();
    const other = new Sqlite(file());
    other.exec('BEGIN IMMEDIATE');
    eraseEarlierFreePages(db.$client, log, false);
    other.exec('ROLLBACK');
    other.close();
    expect(lines).toEqual([compacting, 'database not compacted: deleted data not erased']);
    const silent = { fatal() {}, error() {}, flush() {} } as never;
    watchDatabase({ db, clock: fixture.clock, log: silent, onUnsafe: () => undefined }).check();
    lines = [];
    eraseEarlierFreePages(db.$client, log, false);
    expect(lines).toEqual([compacting]);
    db.$client.close();
    expect(countIn(readFileSync(file(), 'latin1'), 'gone@erasure.example')).toBe(0);
  });

  it('is not compacted if the disk has no space for two copies', () => {
    const { $client } = open();
    eraseEarlierFreePages($client, log, false, () => 60_000_000);
    expect(lines).toEqual(['database not compacted: not enough disk space to erase deleted data']);
    lines = [];
    eraseEarlierFreePages($client, log, false, () => 100_000_000);
    expect(lines).toEqual([compacting]);
    $client.close();
  });

  it('is compacted with temporary files instead of memory', () => {
    const { $client } = open();
    const stores: unknown[] = [];
    const { exec } = $client;
    $client.exec = ((text: string) => {
      stores.push([text, $client.pragma('temp_store', { simple: true })]);
      return exec.call($client, text);
    }) as typeof exec;
    eraseEarlierFreePages($client, log, false);
    const [IN_FILE, IN_MEMORY] = [1, 2];
    expect(stores).toEqual([['VACUUM', IN_FILE]]);
    expect($client.pragma('temp_store', { simple: true })).toBe(IN_MEMORY);
    $client.close();
  });

  it('is compacted by the server, but not by commands', async () => {
    const marked = async (isServing: boolean) => {
      const { app, close } = await openApp(config, { isServing });
      const mark = app.db.$client.pragma('application_id', { simple: true });
      await close();
      return mark !== 0;
    };
    const folder = mkdtempSync(join(tmpdir(), 'erasure-'));
    const config = configFrom({ server: { data_dir: folder }, log: { level: 'silent' } });
    await marked(true);
    const database = new Sqlite(config.database.file);
    database.pragma('application_id = 0');
    database.close();
    expect(await marked(false)).toBe(false);
    expect(await marked(true)).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
