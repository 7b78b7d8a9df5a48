// A database that can't be written: readiness shows the reason, and a failed flush ends the process.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Storage } from '../../src/core/storage.ts';
import type { DatabaseUnsafeError } from '../../src/data/health.ts';
import { DAY } from '../../src/lib/clock.ts';
import { createServer } from '../../src/server.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { bundleProgram, type Program } from '../crash/program.ts';
import { gatherOutput } from '../support/child.ts';
import { failingFlush } from '../support/failing-flush.ts';
import { api } from '../support/harness.ts';
import { mountDisk } from '../support/memory-disk.ts';

interface Ready {
  status: string;
  checks: Record<string, { ok: boolean; detail: string }>;
}

/** A reason to skip; with CI=true a failure, because there it has to run. */
function skipWithout(what: string, skip: (reason: string) => void): void {
  if (process.env.CI === 'true') throw new Error(`${what} is required with CI=true`);
  skip(`${what} is not available`);
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-health-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let program: Program;
beforeAll(async () => {
  program = await bundleProgram();
});

/** A server in a process of its own. */
async function serve(folder: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program.file, 'serve'], {
    cwd: folder,
    env: { ...process.env, TAXIWAY_SERVER__PORT: '0', TAXIWAY_RATE_LIMITS__ENABLED: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = gatherOutput(child);
  const ended = once(child, 'close');
  while (!/first admin account/.test(output.stdout)) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output.stderr}`);
    await once(child.stdout, 'data');
  }
  const [, url = ''] = /^Listening on (\S+)$/m.exec(output.stdout) ?? [];
  return { child, output, url, ended };
}

async function askReady(url: string): Promise<{ status: number; database: string; text: string }> {
  const answer = await fetch(`${url}/health/ready`);
  const text = await answer.text();
  return { status: answer.status, database: (JSON.parse(text) as Ready).checks.database?.detail ?? '', text };
}

describe('readiness', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture?.stop());
  const ready = () => askReady(fixture.url);
  const failure = (code: string) => new Sqlite.SqliteError('it failed', code);

  it('writes to the database, at most every three seconds', async () => {
    const { $client: client } = fixture.app.db;
    const writes = () => Number(client.pragma('user_version', { simple: true }));
    fixture.clock.advance(5_000);
    const before = writes();
    for (let count = 0; count < 5; count += 1) expect((await ready()).status).toBe(200);
    expect(writes()).toBe(before + 1);
    fixture.clock.advance(2_900);
    await ready();
    expect(writes()).toBe(before + 1);
    fixture.clock.advance(200);
    fixture.clock.advance(1_000);
    expect(await ready()).toMatchObject({ status: 200, database: 'reads and writes work' });
    expect(writes()).toBe(before + 2);
  });

  it('fails after a commit on a full disk, and returns ten seconds after the last one', async () => {
    const { app, clock } = fixture;
    const { $client: client } = app.db;
    const inProject = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
    const initiate = (build: number) =>
      api(fixture).post(
        '/api/v1/builds/initiate',
        { version_name: '1', build_number: build, release_notes: 'n'.repeat(4_000) },
        inProject,
      );
    client.pragma(`max_page_count = ${client.pragma('page_count', { simple: true })}`);
    onTestFinished(() => void client.pragma('max_page_count = 1000000'));
    let status = 201;
    for (let build = 1; status === 201 && build < 25; build += 1) status = (await initiate(build)).status;
    expect(status).toBe(503);
    clock.advance(1_100);
    expect(await ready()).toMatchObject({ status: 503, database: 'the disk is full' });
    client.pragma('max_page_count = 1000000');
    clock.advance(8_000);
    expect((await ready()).status).toBe(503);
    clock.advance(2_000);
    expect((await ready()).status).toBe(200);
  });

  it.each([
    ['SQLITE_FULL', 'the disk is full'],
    ['SQLITE_IOERR_WRITE', 'the disk reports errors (SQLITE_IOERR_WRITE)'],
    ['SQLITE_IOERR_READ', 'the disk reports errors (SQLITE_IOERR_READ)'],
    ['SQLITE_READONLY', 'the database is read-only'],
    ['SQLITE_READONLY_DBMOVED', 'the database file was moved or deleted'],
    ['SQLITE_CANTOPEN', "the database can't be opened for writing (SQLITE_CANTOPEN)"],
  ])('reports %s as "%s", without a path', async (code, detail) => {
    const { app, clock } = fixture;
    clock.advance(20_000);
    app.health.note(failure(code));
    const answer = await ready();
    expect(answer).toMatchObject({ status: 503, database: detail });
    expect(answer.text).not.toContain(app.config.server.data_dir);
    clock.advance(20_000);
    expect((await ready()).status).toBe(200);
  });

  it('is examined again after the clock was set back', async () => {
    const { app, clock } = fixture;
    clock.advance(20_000);
    expect((await ready()).status).toBe(200);
    clock.jump(-30 * DAY);
    app.health.note(failure('SQLITE_FULL'));
    expect(await ready()).toMatchObject({ status: 503, database: 'the disk is full' });
    clock.jump(-30 * DAY);
    expect((await ready()).status).toBe(200);
    clock.jump(60 * DAY);
  });

  it.each(['SQLITE_BUSY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_ERROR'])('does not fail after %s', async (code) => {
    fixture.clock.advance(20_000);
    fixture.app.health.note(failure(code));
    fixture.app.health.note(new Error('something else'));
    expect((await ready()).status).toBe(200);
  });

  it('does not wait for another process that writes', async () => {
    const other = new Sqlite(fixture.app.config.database.file);
    onTestFinished(() => void other.close());
    fixture.clock.advance(20_000);
    other.exec('BEGIN IMMEDIATE');
    const { $client: client } = fixture.app.db;
    const timeout = client.pragma('busy_timeout', { simple: true });
    // Longer than the test may take.
    client.pragma('busy_timeout = 600000');
    expect((await ready()).status).toBe(200);
    expect(client.pragma('busy_timeout', { simple: true })).toBe(600_000);
    client.pragma(`busy_timeout = ${timeout}`);
    other.exec('ROLLBACK');
  });

  it('fails after a request finds damage, which is reported to the operator', async () => {
    fixture.clock.advance(120_000);
    const backend = fixture.app.storage.attached.get('local') as Storage;
    const read = vi.spyOn(backend, 'check').mockRejectedValueOnce(failure('SQLITE_CORRUPT'));
    expect((await api(fixture).get('/api/v1/system')).status).toBe(500);
    read.mockRestore();
    expect(await ready()).toMatchObject({ status: 503, database: 'the database is damaged' });
    const { body } = await api(fixture).get<{ findings: { name: string; status: string; detail: string }[] }>(
      '/api/v1/system/findings',
    );
    expect(body.findings.find(({ name }) => name === 'database')).toMatchObject({
      name: 'database',
      status: 'fail',
      detail: 'damaged: SQLITE_CORRUPT; stop the server, keep a copy of the data folder, and restore a backup',
    });
  });
});

describe('readiness on a real disk', () => {
  it("fails while the disk of the database is full, even if the storage's disk is not", async ({ skip }) => {
    const mounted = mountDisk(48 * 1024);
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    await using fixture = await startFixture({ config: { database: { file: join(disk.folder, 'taxiway.db') } } });
    expect((await askReady(fixture.url)).status).toBe(200);
    disk.fill();
    fixture.clock.advance(3_000);
    // The log may have room for the page that is written to check.
    const detail = expect.stringMatching(/^(the disk is full|its disk has only 0 MiB free)$/);
    expect(await askReady(fixture.url)).toMatchObject({ status: 503, database: detail });
    fixture.clock.advance(20_000);
    expect(await askReady(fixture.url)).toMatchObject({ status: 503, database: detail });
    disk.makeRoom();
    fixture.clock.advance(10_000);
    expect((await askReady(fixture.url)).status).toBe(200);
  });

  it('fails while the disk is full, whose server still ends with 0', { timeout: 60_000 }, async ({ skip }) => {
    const mounted = mountDisk(48 * 1024);
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    const file = join(disk.folder, 'taxiway.db');
    const { url, child, ended } = await serve(temporaryFolder(), { TAXIWAY_DATABASE__FILE: file });
    expect((await askReady(url)).status).toBe(200);
    disk.fill();
    await vi.waitFor(async () => expect((await askReady(url)).status).toBe(503), { timeout: 50_000, interval: 100 });
    disk.makeRoom();
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('fails while no file may grow, and reports why', { timeout: 60_000 }, async (test) => {
    if (spawnSync('prlimit', ['--version']).status !== 0) return skipWithout('prlimit', test.skip);
    const { url, child } = await serve(temporaryFolder());
    expect((await askReady(url)).status).toBe(200);
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=4096']);
    const expected = {
      status: 503,
      database: 'the database has reached the maximum file size of the file system',
    };
    await vi.waitFor(async () => expect(await askReady(url)).toMatchObject(expected), {
      timeout: 50_000,
      interval: 500,
    });
  });
});

describe('a failed flush of the database', () => {
  it('is reported once, before the error is thrown', async () => {
    const folder = temporaryFolder();
    const unsafe: DatabaseUnsafeError[] = [];
    const server = await createServer(
      { server: { port: 0, data_dir: folder }, log: { level: 'silent' } },
      { isScheduleOff: true, onDatabaseUnsafe: (error) => unsafe.push(error) },
    );
    await server.start();
    const { db } = server.app;
    const fail = () =>
      db.$client
        .transaction(() => {
          throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
        })
        .immediate();
    expect(fail).toThrow('disk I/O error');
    expect(fail).toThrow('disk I/O error');
    expect(unsafe.map(({ message }) => message)).toEqual([
      `the disk couldn't flush the database ${join(folder, 'taxiway.db')} (SQLITE_IOERR_FSYNC). Taxiway has stopped, because ` +
        'further changes might be lost. Check the disk, then start again.',
    ]);
    await server.stop();
  });

  /**
   * Writes more pages than the server leaves in the log, so that it checkpoints. In one commit: another one during the checkpoint would
   * leave pages for the next, which comes after a minute, and only the last pages are followed by a flush of the database.
   */
  function fillLog(file: string): void {
    const client = new Sqlite(file);
    client.pragma('wal_autocheckpoint = 0');
    client.exec('BEGIN; CREATE TABLE filler (x BLOB); INSERT INTO filler VALUES (randomblob(20000000)); COMMIT');
    client.close();
  }

  it.each([
    ['of the write-ahead log', '/taxiway.db-wal'],
    ['of the database file', '/taxiway.db'],
  ])(
    '%s stops the server with 1 and a message, and nothing more is written',
    // The server's own small commits can come during the checkpoint too.
    { timeout: 150_000 },
    async (_, suffix) => {
      const folder = temporaryFolder();
      const flag = join(folder, 'fail');
      const env = failingFlush(folder, { whileExists: flag, suffix });
      if (env === undefined) {
        return skipWithout('a C compiler on Linux', (reason) => process.stdout.write(`failed flush: ${reason}\n`));
      }
      const { url, ended, output } = await serve(folder, env);
      expect((await askReady(url)).status).toBe(200);
      writeFileSync(flag, '');
      fillLog(join(folder, 'data/taxiway.db'));
      const asking = setInterval(() => void askReady(url).catch(() => undefined), 200);
      expect(await ended).toEqual([1, null]);
      clearInterval(asking);
      expect(output.stderr).toContain(
        `taxiway: the disk couldn't flush the database ${join(folder, 'data/taxiway.db')} (SQLITE_IOERR_FSYNC). Taxiway has stopped`,
      );
      expect(output.stdout).toContain('"msg":"database flush failed"');
      // Closing the database would have written to it and removed the log.
      expect(existsSync(join(folder, 'data/taxiway.db-wal'))).toBe(true);

      rmSync(flag);
      const next = await serve(folder);
      expect((await askReady(next.url)).status).toBe(200);
      next.child.kill('SIGTERM');
      expect(await next.ended).toEqual([0, null]);
    },
  );
});
