// Damaged packages: never delivered, shown to the operator, available again after a restore.
import { chmodSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBuild } from '../../src/builds/store.ts';
import { type Storage, StorageError } from '../../src/core/storage.ts';
import { embeddedMigrations } from '../../src/data/migrate.ts';
import { builds, packageIntegrity } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { buildApk, sha256 } from '../support/fixtures.ts';
import { auditMark, auditRows, expectRefusal } from '../support/harness.ts';
import {
  type Build,
  type BuildScenario,
  complete,
  initiate,
  sendBytes,
  startBuildScenario,
  uploadBuild,
} from './scenario.ts';

const bytes = buildApk();
let scenario: BuildScenario;
let build: Build;
let file: string;
beforeEach(async () => {
  scenario = await startBuildScenario();
  build = await uploadBuild(scenario.ci, scenario.android, bytes);
  const key = findBuild(scenario.fixture.app, build.identifier)?.objectKey ?? '';
  file = join(scenario.fixture.config.storage.local.directory, 'objects', key);
  chmodSync(file, 0o644);
});
afterEach(() => scenario[Symbol.asyncDispose]());

const rows = () => scenario.fixture.app.db.select().from(packageIntegrity).all();
const askForDownload = () => scenario.ci.get(`/api/v1/builds/${build.identifier}/download`);
const findings = async () => {
  scenario.fixture.clock.advance(MINUTE);
  const { access_token: _, email, password } = scenario.fixture.admin;
  const login = await scenario.ci.post('/api/v1/login', { email, password });
  const headers = { authorization: `Bearer ${login.body.access_token}` };
  const answer = await fetch(`${scenario.fixture.url}/api/v1/system/findings`, { headers });
  const body = (await answer.json()) as { findings: { name: string; status: string; detail: string }[] };
  return body.findings.find(({ name }) => name === 'packages');
};

/** Changes one byte and nothing else that a look at the file shows. */
function flip(): void {
  const { atime, mtime } = statSync(file);
  const damaged = Buffer.from(readFileSync(file));
  damaged[100] = (damaged[100] ?? 0) ^ 1;
  writeFileSync(file, damaged);
  utimesSync(file, atime, mtime);
}

describe('an upload', () => {
  it('gets a checksum from the server, regardless of the declared one', async () => {
    const pending = await initiate(scenario.ci, scenario.android);
    await sendBytes(pending, bytes);
    const answer = await complete(scenario.ci, scenario.android, pending.pending_upload_id, 'f'.repeat(64));
    expect(answer.body.sha256).toBe('f'.repeat(64));
    expect(rows()).toHaveLength(2);
    for (const row of rows()) {
      expect(row).toMatchObject({ sha256: sha256(bytes), problem: null, verifiedAt: expect.any(Number) });
      expect(row.verifiedAt).toBeGreaterThan(0);
    }
    expect(rows()[0]?.modifiedAt).toBe(statSync(file).mtime.getTime());
  });

  it('is read in the background if its checksum is not known from the upload', async () => {
    const { storage } = scenario.fixture.app;
    const { head } = storage;
    storage.head = async (key) => {
      const found = await head(key);
      return found && { size: found.size, etag: found.etag, modifiedAt: found.modifiedAt };
    };
    const other = await uploadBuild(scenario.ci, scenario.android, bytes);
    storage.head = head;
    await scenario.fixture.drain();
    const row = rows().find(({ buildId }) => buildId === other.identifier);
    expect(row).toMatchObject({ sha256: sha256(bytes), modifiedAt: expect.any(Number), problem: null });
  });

  it('is forgotten when its build is deleted', async () => {
    await scenario.admin.delete(`/api/v1/builds/${build.identifier}`);
    expect(rows()).toEqual([]);
  });
});

describe('a damaged package', () => {
  const damages: [string, () => void, RegExp][] = [
    ['truncated', () => truncateSync(file, 1_000), /has another size/],
    ['emptied', () => truncateSync(file, 0), /has another size/],
    ['removed', () => rmSync(file), /is missing/],
    [
      'modified',
      () => writeFileSync(file, Buffer.alloc(bytes.length, 1)),
      /modified after the upload|differs from the upload/,
    ],
  ];

  it.each(damages)('that was %s has no link, and the operator sees it', async (_, damage, text) => {
    const before = auditMark(scenario.fixture);
    expect(await findings()).toBeUndefined();
    damage();
    const answer = await askForDownload();
    expectRefusal(answer, 503, 'storage_backend_unavailable');
    expect(answer.headers.get('retry-after')).toBe('5');
    const found = await findings();
    expect(found).toMatchObject({ status: 'fail', detail: expect.stringContaining(build.identifier) });
    expect(found?.detail).toMatch(text);
    expect(
      auditRows(scenario.fixture, { after: before }).filter(
        (row) => row.type !== 'session' && row.type !== 'developer',
      ),
    ).toEqual([]);
  });

  it.each(damages)('that was %s after the link was signed is not sent as complete', async (name, damage) => {
    const link = String((await askForDownload()).body.download_url);
    damage();
    for (const headers of [{}, { range: 'bytes=0-99' }]) {
      const response = await fetch(link, { headers });
      expect(response.status).toBe(name === 'removed' ? 404 : 503);
      expect(await response.text()).not.toContain('PK');
    }
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(name === 'removed' ? 404 : 503);
  });

  it('with a new modification time is confirmed by reading it, and stays rejected', async () => {
    writeFileSync(file, Buffer.alloc(bytes.length, 1));
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    await scenario.fixture.drain();
    expect(rows()[0]).toMatchObject({ problem: 'content' });
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    expect(rows()[0]).toMatchObject({ problem: 'content' });
    expect((await findings())?.detail).toContain('differs from the upload');
  });

  it('that was restored from a backup is available again after it was read', async () => {
    truncateSync(file, 10);
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    // A copy that doesn't keep the time.
    writeFileSync(file, bytes);
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    await scenario.fixture.drain();
    expect((await askForDownload()).status).toBe(200);
    expect(rows()[0]).toMatchObject({ problem: null, problemAt: null, sha256: sha256(bytes) });
    expect(await findings()).toBeUndefined();
  });

  it.each([
    ['its time', (mtime: Date) => mtime],
    ['the whole seconds of its time', (mtime: Date) => new Date(Math.floor(mtime.getTime() / 1000) * 1000)],
  ])('that is restored with %s is available immediately', async (_, timeOf) => {
    const { atime, mtime } = statSync(file);
    rmSync(file);
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    writeFileSync(file, bytes);
    utimesSync(file, atime, timeOf(mtime));
    expect((await askForDownload()).status).toBe(200);
    expect(rows()[0]).toMatchObject({ problem: null });
  });

  it('is recorded once for repeated requests', async () => {
    flip();
    scenario.fixture.clock.advance(31 * DAY);
    await scenario.fixture.sweep('stored-packages');
    await askForDownload();
    await scenario.fixture.drain();
    const { $client: client } = scenario.fixture.app.db;
    client.exec('CREATE TEMP TABLE noted (what TEXT)');
    for (const [name, what] of [
      ['integrity', 'INSERT ON package_integrity'],
      ['change', 'UPDATE ON package_integrity'],
      ['job', 'INSERT ON jobs'],
    ])
      client.exec(`CREATE TEMP TRIGGER note_${name} AFTER ${what} BEGIN INSERT INTO noted VALUES ('${name}'); END`);
    for (let count = 0; count < 5; count += 1)
      expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    expect(client.prepare('SELECT what FROM noted').pluck().all()).toEqual([]);
  });
});

describe('a package with silently changed bytes', () => {
  it('is found by the cleanup job, and rejected from then on', async () => {
    flip();
    expect((await askForDownload()).status).toBe(200);
    expect(await scenario.fixture.sweep('stored-packages')).toBe(0);
    scenario.fixture.clock.advance(30 * DAY);
    expect(await scenario.fixture.sweep('stored-packages')).toBe(1);
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    writeFileSync(file, bytes);
    scenario.fixture.clock.advance(HOUR + 1);
    expect(await scenario.fixture.sweep('stored-packages')).toBe(1);
    expect((await askForDownload()).status).toBe(200);
  });

  it('is cut off by a download that hashes it, and rejected from then on', async () => {
    flip();
    scenario.fixture.clock.advance(2 * DAY);
    const link = String((await askForDownload()).body.download_url);
    const outcome = await fetch(link)
      .then((response) => response.arrayBuffer())
      .then(
        (body) => `whole: ${body.byteLength}`,
        () => 'cut off',
      );
    expect(outcome).toBe('cut off');
    expect(rows()[0]).toMatchObject({ problem: 'content' });
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
  });

  it('is hashed by at most one download a day, and not for ranges', async () => {
    scenario.fixture.clock.advance(2 * DAY);
    const link = String((await askForDownload()).body.download_url);
    const verifiedAt = () => rows()[0]?.verifiedAt ?? 0;
    const before = verifiedAt();
    await (await fetch(link, { headers: { range: 'bytes=1-' } })).arrayBuffer();
    expect(verifiedAt()).toBe(before);
    expect(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(bytes)).toBe(true);
    await expect.poll(verifiedAt).toBeGreaterThan(before);
    const after = verifiedAt();
    scenario.fixture.clock.advance(MINUTE);
    await (await fetch(link)).arrayBuffer();
    expect(verifiedAt()).toBe(after);
  });
});

describe('a package with a known problem', () => {
  it('is delivered only after reading confirmed its bytes', async () => {
    const { atime, mtime } = statSync(file);
    flip();
    const damaged = readFileSync(file);
    scenario.fixture.clock.advance(31 * DAY);
    await scenario.fixture.sweep('stored-packages');
    // Put back in two steps, from a backup that has the damage too.
    truncateSync(file, 10);
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    writeFileSync(file, damaged);
    utimesSync(file, atime, mtime);
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    await scenario.fixture.drain();
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    expect(rows()[0]).toMatchObject({ problem: 'content' });
    writeFileSync(file, bytes);
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    await scenario.fixture.drain();
    expect((await askForDownload()).status).toBe(200);
  });
});

describe('the cleanup job for stored packages', () => {
  /** As a migration leaves builds of an older version. */
  const forgetChecksums = () =>
    scenario.fixture.app.db.update(packageIntegrity).set({ sha256: null, modifiedAt: null, verifiedAt: 0 }).run();

  it('computes checksums for builds of an older version', async () => {
    const { $client } = scenario.fixture.app.db;
    const statements = embeddedMigrations().flatMap((migration) => migration.statements);
    $client.exec('DROP TABLE package_integrity');
    for (const statement of statements.filter((text) => text.includes('package_integrity'))) $client.exec(statement);
    expect(rows()).toEqual([
      { buildId: build.identifier, sha256: null, modifiedAt: null, verifiedAt: 0, problem: null, problemAt: null },
    ]);
    expect((await askForDownload()).status).toBe(200);
    expect(await scenario.fixture.sweep('stored-packages')).toBe(1);
    expect(rows()[0]).toMatchObject({ sha256: sha256(bytes), modifiedAt: statSync(file).mtime.getTime() });
    expect(await scenario.fixture.sweep('stored-packages')).toBe(0);
  });

  it('continues after the last package of an interrupted run', async () => {
    for (let count = 0; count < 3; count += 1) await uploadBuild(scenario.ci, scenario.android, bytes);
    forgetChecksums();
    const { storage } = scenario.fixture.app;
    const local = storage.attached.get('local') as Storage;
    const { read } = storage;
    const { check } = local;
    let reads = 0;
    storage.read = (...request) => {
      reads += 1;
      return reads > 2 ? Promise.reject(new StorageError('unavailable', 'out of order')) : read(...request);
    };
    local.check = async () => ({ ok: false, detail: 'out of order', freeBytes: undefined });
    await expect(scenario.fixture.sweep('stored-packages')).rejects.toThrow('out of order');
    expect(rows().filter((row) => row.sha256 !== null)).toHaveLength(2);
    expect(rows().filter((row) => row.problem !== null)).toEqual([]);
    Object.assign(storage, { read });
    Object.assign(local, { check });
    expect(await scenario.fixture.sweep('stored-packages')).toBe(2);
    expect(rows().filter((row) => row.sha256 !== null)).toHaveLength(4);
  });

  it('is not stopped by an unreadable package', async () => {
    const second = await uploadBuild(scenario.ci, scenario.android, bytes);
    forgetChecksums();
    const { storage } = scenario.fixture.app;
    const { read } = storage;
    const broken = findBuild(scenario.fixture.app, build.identifier)?.objectKey;
    storage.read = (key, ...range) =>
      key === broken ? Promise.reject(new StorageError('unavailable', 'EIO')) : read(key, ...range);
    expect(await scenario.fixture.sweep('stored-packages')).toBe(2);
    const problems = Object.fromEntries(rows().map((row) => [row.buildId, row.problem]));
    expect(problems).toEqual({ [build.identifier]: 'unreadable', [second.identifier]: null });
    storage.read = read;
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    scenario.fixture.clock.advance(2 * MINUTE);
    expectRefusal(await askForDownload(), 503, 'storage_backend_unavailable');
    await scenario.fixture.drain();
    expect((await askForDownload()).status).toBe(200);
  });

  it('finds its work with an index', () => {
    const { $client } = scenario.fixture.app.db;
    const plan = (sql: string) =>
      $client
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail);
    expect(
      plan('SELECT build_id FROM package_integrity WHERE verified_at <= +5 ORDER BY verified_at LIMIT 50'),
    ).toEqual([expect.stringMatching(/^SEARCH .*package_integrity_verified/)]);
    expect(
      plan(
        'SELECT build_id FROM package_integrity WHERE problem IS NOT NULL AND verified_at < +5 ORDER BY verified_at LIMIT 50',
      ),
    ).toEqual([expect.stringMatching(/^SEARCH .*package_integrity_problem/)]);
    expect(scenario.fixture.app.db.select().from(builds).all()).toHaveLength(1);
  });
});
