// Backups of a running server: on request, on the System page, in health checks and metrics.
import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { backupLock, drillLock } from '../../src/backup/lock.ts';
import { finishRun, insertFailedRun, insertRun } from '../../src/backup/run-store.ts';
import { backupRunnerOf } from '../../src/backup/runner.ts';
import { checkBackups } from '../../src/checks/backups.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { ownCommand, RUN_BACKUP_COMMAND } from '../../src/lib/process.ts';
import { acquireLocks } from '../../src/runtime/lock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { bundleProgram } from '../crash/program.ts';
import { api, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';

// The processes of backups run the bundled program, because loading its sources takes as long as everything else here.
const { spawn } = childProcess;
beforeAll(async () => {
  const { file } = await bundleProgram();
  const [command, ...fromSources] = ownCommand([RUN_BACKUP_COMMAND]);
  childProcess.spawn = ((given: string, words: string[], options: childProcess.SpawnOptions) => {
    expect([given, ...words]).toEqual([command, ...fromSources]);
    return spawn(command, [file, RUN_BACKUP_COMMAND], options);
  }) as typeof spawn;
  syncBuiltinESMExports();
});
afterAll(() => {
  childProcess.spawn = spawn;
  syncBuiltinESMExports();
});

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture({ config: { backup: { schedule: '0 3 * * *' } } });
});
afterEach(() => fixture?.stop());
afterEach(() => vi.unstubAllEnvs());

const PATH = '/api/v1/system/backups';
type State = Json & { is_running: boolean; last_run: Json | null; last_success: Json | null };
const readState = async () => (await api(fixture).get<{ backup: State }>('/api/v1/system')).body.backup;
const settled = () => backupRunnerOf(fixture.app).settled();
/** Runs a backup in a process that runs a script first. */
async function runWith(script: string): Promise<void> {
  const file = join(fixture.config.server.data_dir, '.before.cjs');
  writeFileSync(file, script);
  vi.stubEnv('NODE_OPTIONS', `--require ${file}`);
  await api(fixture).post(PATH);
  await settled();
}
const findings = () => checkBackups(fixture.config, fixture.app.db.$client, fixture.app.clock.now());

describe('runs', () => {
  it('are forgotten after 500 newer ones, but neither the last one of a place nor its last success', async () => {
    const { $client: client } = fixture.app.db;
    const { directory: place } = fixture.config.backup;
    const at = fixture.clock.now().getTime();
    const succeed = (backupId: string) => {
      const totals = { addedBytes: 1, totalBytes: 1, objects: 1 };
      const run = insertRun(client, { startedAt: at, place });
      finishRun(client, run, { state: 'succeeded', finishedAt: at, backupId, problem: null, ...totals });
    };
    const fail = client.transaction((where: string) => {
      for (let count = 0; count < 500; count += 1) {
        insertFailedRun(client, { startedAt: at, place: where }, { finishedAt: at, problem: 'broken' });
      }
    });
    const count = () => client.prepare('SELECT count(*) FROM backup_runs').pluck().get();
    succeed('first');
    succeed('second');
    fail('s3://company-backups/taxiway');
    const second = { state: 'succeeded', backup_id: 'second' };
    expect(await readState()).toMatchObject({ last_run: second, last_success: second });
    expect(count()).toBe(501);
    fail(place);
    expect(await readState()).toMatchObject({ last_run: { state: 'failed' }, last_success: second });
    // And the last one of the other place.
    expect(count()).toBe(502);
  });
});

describe('a backup on request', () => {
  it('runs in the background, one at a time, and is shown with its result', async () => {
    expect(await readState()).toMatchObject({
      place: join(fixture.config.server.data_dir, 'backups'),
      schedule: '0 3 * * *',
      is_encrypted: false,
      is_running: false,
      last_run: null,
      last_success: null,
    });
    expect(findings()).toMatchObject([{ status: 'warn', code: 'backup_none' }]);
    const started = await api(fixture).post<State>(PATH);
    expect(started.status).toBe(202);
    expect(started.body.is_running).toBe(true);
    expectRefusal(await api(fixture).post(PATH), 400, 'operation_not_allowed');
    await settled();
    const { is_running: isRunning, last_run: run, last_success: success } = await readState();
    expect(isRunning).toBe(false);
    expect(run).toEqual(success);
    expect(run).toEqual({
      state: 'succeeded',
      started_at: expect.any(String),
      finished_at: expect.any(String),
      backup_id: expect.stringMatching(/^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{8}$/),
      objects: expect.any(Number),
      added_bytes: expect.any(Number),
      total_bytes: expect.any(Number),
      problem: null,
    });
    const manifest = join(
      fixture.config.server.data_dir,
      'backups/objects/backups',
      String(run?.backup_id),
      'manifest',
    );
    expect(existsSync(manifest)).toBe(true);
    expect(findings()).toMatchObject([{ status: 'ok', code: 'backup_recent' }]);
    fixture.clock.advance(49 * HOUR);
    expect(findings()).toMatchObject([{ status: 'warn', code: 'backup_old', values: { hours: 48 } }]);
  });

  it('is old if it is older than the limit and a later one was due', async () => {
    await api(fixture).post(PATH);
    await settled();
    const { config, app, clock } = fixture;
    const startedAt = Date.parse(String((await readState()).last_success?.started_at));
    const due = new Date(startedAt + 6 * DAY);
    const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * ${due.getUTCDay()}`;
    const codeAfter = (ms: number, backup: Partial<typeof config.backup> = { schedule }) => {
      const weekly = { ...config, backup: { ...config.backup, ...backup } };
      return checkBackups(weekly, app.db.$client, new Date(startedAt + ms)).map(({ code }) => code);
    };
    expect(codeAfter(5 * DAY)).toEqual(['backup_recent']);
    // The next one may still be running.
    expect(codeAfter(6 * DAY + 30 * MINUTE)).toEqual(['backup_recent']);
    expect(codeAfter(6 * DAY + 61 * MINUTE)).toEqual(['backup_old']);
    // Without a schedule, the age alone counts.
    expect(codeAfter(48 * HOUR, { schedule: '' })).toEqual(['backup_recent']);
    expect(codeAfter(48 * HOUR + 1, { schedule: '' })).toEqual(['backup_old']);
    clock.advance(49 * HOUR);
    expect(findings()).toMatchObject([{ code: 'backup_old' }]);
  });

  it('that fails says why, and the last success stays', async () => {
    await api(fixture).post(PATH);
    await settled();
    const { last_success: success } = await readState();
    const place = join(fixture.config.server.data_dir, 'backups');
    rmSync(place, { recursive: true });
    writeFileSync(place, 'a file');
    await api(fixture).post(PATH);
    await settled();
    const state = await readState();
    expect(state.last_run).toMatchObject({ state: 'failed', backup_id: null });
    expect(state.last_run?.problem).toContain("isn't an archive of backups");
    expect(state.last_success).toEqual(success);
    expect(findings()).toMatchObject([{ status: 'fail', code: 'backup_failed' }]);
  });

  it('that is killed has failed', async () => {
    // It ends in the middle, when it compares the free space.
    const killed = "require('node:fs').statfsSync = () => process.kill(process.pid, 'SIGKILL')";
    await runWith(`${killed}; require('node:module').syncBuiltinESMExports();`);
    const state = await readState();
    expect(state).toMatchObject({
      is_running: false,
      last_run: { state: 'failed', problem: 'the backup was interrupted', finished_at: expect.any(String) },
    });
    expect(findings()).toMatchObject([{ status: 'fail', code: 'backup_failed' }]);
    expect((await api(fixture, null).get('/metrics')).text).toContain('taxiway_backup_failed 1\n');
  });

  it('whose process exits at its start has failed', async () => {
    await runWith('process.exit(3);');
    expect(await readState()).toMatchObject({
      is_running: false,
      last_run: { state: 'failed', problem: 'the backup exited with 3: ' },
    });
  });

  it('whose process the system refuses to start has failed', async () => {
    const replaced = childProcess.spawn;
    const startWith = (start: unknown) => {
      childProcess.spawn = start as typeof spawn;
      syncBuiltinESMExports();
    };
    try {
      // Without open files left, Node.js returns a process without streams. Without memory, it throws.
      startWith(() => {
        const child = new EventEmitter() as childProcess.ChildProcess;
        process.nextTick(() => child.emit('error', new Error('spawn node EMFILE')));
        return child;
      });
      expect((await api(fixture).post(PATH)).status).toBe(202);
      await settled();
      expect((await readState()).last_run).toMatchObject({ state: 'failed', problem: 'spawn node EMFILE' });
      startWith(() => {
        throw new Error('spawn ENOMEM');
      });
      expect((await api(fixture).post(PATH)).status).toBe(202);
      await settled();
      expect(await readState()).toMatchObject({
        is_running: false,
        last_run: { state: 'failed', problem: 'spawn ENOMEM' },
      });
    } finally {
      startWith(replaced);
    }
  });

  it('without a lock has failed, unless another backup has it', async () => {
    const target = backupLock(fixture.config);
    const { $client: client } = fixture.app.db;
    const release = acquireLocks([target]);
    const other = insertRun(client, { startedAt: fixture.app.clock.time(), place: '/elsewhere' });
    await api(fixture).post(PATH);
    await settled();
    expect((await readState()).last_run).toBeNull();
    // A drill has no run.
    client.prepare('DELETE FROM backup_runs WHERE id = ?').run(other);
    await api(fixture).post(PATH);
    await settled();
    expect((await readState()).last_run).toMatchObject({ state: 'failed', problem: target.refusal });
    release();
    rmSync(target.lockFile);
    mkdirSync(target.lockFile);
    await api(fixture).post(PATH);
    await settled();
    expect((await readState()).last_run).toMatchObject({
      state: 'failed',
      problem: `can't write the lock file ${target.lockFile} (SQLITE_CANTOPEN)`,
    });
    expect(findings()).toMatchObject([{ status: 'fail', code: 'backup_failed' }]);
  });

  it('by a command that was killed has failed; one that has the lock is running', async () => {
    const { directory: place } = fixture.config.backup;
    insertRun(fixture.app.db.$client, { startedAt: fixture.app.clock.time(), place });
    const release = acquireLocks([backupLock(fixture.config)]);
    expect(await readState()).toMatchObject({ is_running: true, last_run: { state: 'running' } });
    expect(findings()).toMatchObject([{ code: 'backup_none' }]);
    release();
    expect(await readState()).toMatchObject({
      is_running: false,
      last_run: { state: 'failed', problem: 'the backup was interrupted', finished_at: null },
    });
    expect(findings()).toMatchObject([{ status: 'fail', code: 'backup_failed' }]);
  });

  it('by a command that was killed has failed during a drill too, which is recorded for the next backup', async () => {
    const { directory: place } = fixture.config.backup;
    insertRun(fixture.app.db.$client, { startedAt: fixture.app.clock.time(), place });
    const target = backupLock(fixture.config);
    const release = acquireLocks([target, drillLock(fixture.config)]);
    expect(await readState()).toMatchObject({
      is_running: false,
      last_run: { state: 'failed', problem: 'the backup was interrupted' },
    });
    expect(findings()).toMatchObject([{ status: 'fail', code: 'backup_failed' }]);
    await api(fixture).post(PATH);
    await settled();
    expect((await readState()).last_run).toMatchObject({ state: 'failed', problem: target.refusal });
    release();
  });

  it('is for operators', async () => {
    const person = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'admin' } });
    expectRefusal(await person.client.post(PATH), 404, 'not_found');
    expectRefusal(await api(fixture, null).post(PATH), 401, 'unauthorized');
  });
});

describe('a scheduled backup', () => {
  it('leaves the server running if the database cannot be read', async () => {
    const { app } = fixture;
    const client = new Sqlite(app.config.database.file);
    const log = { error: vi.fn() };
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    try {
      const runner = await backupRunnerOf.open({
        ...app,
        db: Object.assign(Object.create(app.db), { $client: client }),
        log: Object.assign(Object.create(app.log), log),
      });
      runner.schedule();
      client.close();
      await vi.advanceTimersByTimeAsync(24 * HOUR);
      runner.stop();
      expect(log.error).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'backup not started');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a backup that was due while the server was stopped', () => {
  afterEach(() => vi.useRealTimers());

  /** Starts the schedule 0 3 * * * at 12:00 after a run at a given time. Returns the times of backups, and what records another run. */
  async function startAfter(lastRun: string | undefined) {
    const { app, config } = fixture;
    const { directory: place } = config.backup;
    const client = app.db.$client;
    const record = (at: number) =>
      insertFailedRun(client, { startedAt: at, place }, { finishedAt: at, problem: 'broken' });
    if (lastRun !== undefined) record(Date.parse(lastRun));
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.parse('2026-03-02T12:00:00Z') });
    const starts: string[] = [];
    const replaced = childProcess.spawn;
    childProcess.spawn = (() => {
      starts.push(new Date().toISOString().slice(8, 16));
      throw new Error('not in this test');
    }) as unknown as typeof spawn;
    syncBuiltinESMExports();
    const clock = Object.assign(Object.create(app.clock), { now: () => new Date(), time: () => Date.now() });
    const runner = await backupRunnerOf.open({ ...app, clock });
    onTestFinished(() => {
      runner.stop();
      childProcess.spawn = replaced;
      syncBuiltinESMExports();
    });
    runner.schedule();
    return { runner, starts, record };
  }

  it.each([
    ['2026-03-01T03:00:00Z', ['02T12:10', '03T03:00']],
    ['2026-03-02T02:59:59Z', ['02T12:10', '03T03:00']],
    ['2026-03-02T03:00:00Z', ['03T03:00']],
    ['2026-03-02T09:00:00Z', ['03T03:00']],
    ['2027-03-01T03:00:00Z', ['03T03:00']],
    [undefined, ['03T03:00']],
  ])('is created ten minutes after the start, with the last one at %s', async (lastRun, expected) => {
    const { starts } = await startAfter(lastRun);
    await vi.advanceTimersByTimeAsync(24 * HOUR);
    expect(starts).toEqual(expected);
  });

  it('is not created if there was another one since, or the server stops', async () => {
    const { runner, starts, record } = await startAfter('2026-03-01T03:00:00Z');
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    record(Date.now());
    await vi.advanceTimersByTimeAsync(6 * MINUTE);
    expect(starts).toEqual([]);
    runner.stop();
    const stopped = await startAfter('2026-03-01T03:00:00Z');
    stopped.runner.stop();
    await vi.advanceTimersByTimeAsync(24 * HOUR);
    expect([...starts, ...stopped.starts]).toEqual([]);
  });
});

describe('the metrics of backups', () => {
  it('have the time and size of the last success', async () => {
    await api(fixture).post(PATH);
    await settled();
    const { last_success: success } = await readState();
    const { text } = await api(fixture, null).get('/metrics');
    const seconds = Date.parse(String(success?.started_at)) / 1000;
    expect(text).toContain(`taxiway_backup_last_success_timestamp_seconds ${seconds}\n`);
    expect(text).toContain(`taxiway_backup_last_success_bytes ${success?.total_bytes}\n`);
    expect(text).toContain('taxiway_backup_failed 0\n');
  });
});
