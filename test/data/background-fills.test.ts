// What an upgrade fills while the server runs: totals of earlier downloads, and the keys of the order by version.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkMigrations } from '../../src/checks/database.ts';
import { recountTotals } from '../../src/checks/totals.ts';
import {
  createFiller,
  type Filler,
  fillVersionKeysOf,
  finishFills,
  listFills,
  type RowRange,
  SMALLEST_STEPS,
} from '../../src/data/background-fills.ts';
import { openDatabase } from '../../src/data/database.ts';
import { databaseBytes } from '../../src/data/database-size.ts';
import { measureFills } from '../../src/data/fill-room.ts';
import { measureLog } from '../../src/data/log-size.ts';
import { embeddedMigrations, migrateDatabase } from '../../src/data/migrate.ts';
import { rehearseUpgrade } from '../../src/data/rehearsal.ts';
import { compareTotals } from '../../src/data/totals.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { versionKey } from '../../src/lib/version-key.ts';
import { bundleScripts } from '../support/bundled-script.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fills-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const migrations = embeddedMigrations();
const FIRST = migrations.findIndex(({ name }) => name === '0009_download_totals');
const versions = ['1.9', '1.10', '1.10-rc.1', '2.0', '0.1'];
const padded = (number: number) => String(number).padStart(9, '0');
let files = 0;

let before: Buffer | undefined;

/** Returns an empty database of the version before the totals. Creating it takes longer than most of its fills. */
function databaseBefore(): Buffer {
  if (before !== undefined) return before;
  const file = join(folder, 'before.db');
  const { $client: client } = openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 });
  migrateDatabase(client, systemClock, migrations.slice(0, FIRST));
  client.close();
  before = readFileSync(file);
  return before;
}

const insertions = new WeakMap<Sqlite.Database, Sqlite.Statement>();

/** Creates a database of the version before the totals, with rows. */
function earlier(downloads: number, builds: number): { file: string; client: Sqlite.Database } {
  files += 1;
  const file = join(folder, `${files}.db`);
  writeFileSync(file, databaseBefore());
  const { $client: client } = openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 });
  client.exec(`INSERT INTO organizations (id, name, created_at, tier) VALUES ('o', 'Northwind', 0, 'business');
    INSERT INTO projects (id, organization_id, name, platform, created_at) VALUES ('p', 'o', 'Tides', 'android', 0),
      ('q', 'o', 'Coast', 'android', 0);`);
  for (let person = 0; person < 6; person += 1) {
    client
      .prepare("INSERT INTO developers (id, email, display_name, created_at) VALUES (?, ?, '', 0)")
      .run(`d${person}`, `d${person}@example.test`);
  }
  const build = client.prepare(
    `INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes,
        uploaded_at, object_key, inspection_status, pending_upload_id)
      VALUES (@id, 'o', @project, 'android', @version, @number, '', 1, 0, @id, 'ok', @id)`,
  );
  const fill = client.transaction(() => {
    for (let number = 0; number < builds; number += 1) {
      const version = versions[number % versions.length];
      build.run({ id: `b${padded(number)}`, project: number % 3 === 0 ? 'q' : 'p', version, number });
    }
    for (let number = 0; number < downloads; number += 1) insertDownload(client, number);
  });
  fill();
  return { file, client };
}

/** The same, upgraded. */
function upgraded(downloads: number, builds: number): { file: string; client: Sqlite.Database } {
  const created = earlier(downloads, builds);
  migrateDatabase(created.client, systemClock);
  return created;
}

/** Inserts a download whose values follow from its number. */
function insertDownload(client: Sqlite.Database, number: number): void {
  const insertion =
    insertions.get(client) ??
    client.prepare(
      `INSERT INTO downloads (id, organization_id, project_id, build_id, channel_id, release_id, developer_id, created_at)
        VALUES (?, 'o', 'p', ?, ?, ?, ?, ?)`,
    );
  insertions.set(client, insertion);
  insertion.run(
    padded(number),
    `b${number % 7}`,
    number % 11 === 0 ? null : `c${number % 4}`,
    number % 13 === 0 ? null : `r${number % 5}`,
    number % 3 === 0 ? null : `d${number % 6}`,
    (number % 10) * 86_400_000 + number,
  );
}

const run = (client: Sqlite.Database, filler: Filler) => client.transaction(() => filler.step()).immediate();

function expectComplete(client: Sqlite.Database): void {
  expect(listFills(client)).toEqual([]);
  expect(compareTotals(client)).toEqual([]);
  const keys = client.prepare<[], [string, number, string]>(
    'SELECT version_name, build_number, version_key FROM builds',
  );
  for (const [name, number, key] of keys.raw().all()) expect(key).toBe(versionKey(name, number));
}

describe('a fill', () => {
  it('counts what the upgrade left, a bounded step at a time, and shows how far it is', () => {
    const { client } = upgraded(2_500, 450);
    expect(listFills(client)).toEqual([
      { name: 'version_keys', done: 0, total: 450 },
      { name: 'downloads', done: 0, total: 2_500 },
      { name: 'download_sums', done: 0, total: 2_500 },
    ]);
    expect(checkMigrations(client)).toMatchObject({ status: 'ok', code: 'migrations_filling', values: { percent: 0 } });
    // Totals that aren't complete aren't reported as wrong.
    expect(recountTotals(client)).toEqual([]);
    const done: unknown[] = [];
    // Enough for all people.
    const [keys, downloads] = [200, 1_000].map((rows) => ({ min: rows, max: rows })) as [RowRange, RowRange];
    const filler = createFiller(client, { keys, downloads, ms: 60_000, counted: 1_000 });
    while (run(client, filler)) done.push(listFills(client).map((fill) => `${fill.name} ${fill.done}`));
    expect(done).toEqual([
      ['version_keys 200', 'downloads 0', 'download_sums 0'],
      ['version_keys 400', 'downloads 0', 'download_sums 0'],
      ['version_keys 450', 'downloads 0', 'download_sums 0'],
      ['downloads 0', 'download_sums 0'],
      ['downloads 1000', 'download_sums 0'],
      ['downloads 2000', 'download_sums 0'],
      ['downloads 2500', 'download_sums 0'],
      ['download_sums 0'],
      [],
    ]);
    filler.close();
    expectComplete(client);
    expect(checkMigrations(client)).toMatchObject({ code: 'migrations_applied' });
    expect(recountTotals(client)).toMatchObject([{ status: 'ok' }]);
    client.close();
  });

  it('is exact with downloads and deleted accounts between its steps', () => {
    const change = fc.record({
      kind: fc.constantFrom('download', 'download', 'delete account'),
      person: fc.integer({ min: 0, max: 5 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_200 }),
        fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 60 }),
        (downloads, between) => {
          const { client, file } = upgraded(downloads, 0);
          let next = downloads;
          const apply = ({ kind, person }: { kind: string; person: number }) => {
            if (kind === 'download') insertDownload(client, next++);
            else client.prepare('UPDATE downloads SET developer_id = NULL WHERE developer_id = ?').run(`d${person}`);
          };
          const filler = createFiller(client, { ms: 0, counted: 2 });
          for (const changes of between) {
            for (const one of changes) apply(one);
            run(client, filler);
          }
          filler.close();
          finishFills(client);
          for (const one of between.flat()) apply(one);
          expectComplete(client);
          client.close();
          rmSync(file);
        },
      ),
      { numRuns: 10, seed: 20_303 },
    );
  });

  it('counts the people of a channel in several steps, exactly beside what changes between them', () => {
    const { client } = upgraded(0, 0);
    const people = 500;
    const addPerson = client.prepare(
      "INSERT INTO developers (id, email, display_name, created_at) VALUES (?, ? || '@example.test', '', 0)",
    );
    const person = (number: number) => `x${padded(number)}`;
    let downloads = 0;
    const download = (number: number) => {
      downloads += 1;
      client
        .prepare(
          `INSERT INTO downloads (id, organization_id, project_id, build_id, channel_id, developer_id, created_at)
            VALUES (?, 'o', 'p', 'b' || ? % 7, 'wide', ?, ?)`,
        )
        .run(padded(downloads), number, person(number), downloads);
    };
    for (let number = 0; number < people; number += 1) {
      addPerson.run(person(number), person(number));
      if (number % 10 !== 5) download(number);
    }
    // As the upgrade leaves it.
    client.exec(`DELETE FROM download_totals; DELETE FROM download_sums; DELETE FROM download_days;
      INSERT INTO background_fills SELECT 'downloads', '', max(id), 0, count(*) FROM downloads;
      INSERT INTO background_fills VALUES ('download_sums', '', '', 0, 0)`);
    const filler = createFiller(client, { ms: 0, counted: 10 });
    let steps = 0;
    while (run(client, filler)) {
      steps += 1;
      // People with a number below are counted already, or not yet.
      const number = (steps * 137) % people;
      if (number % 10 === 5 || steps % 3 === 0) download(number);
      else client.prepare('UPDATE downloads SET developer_id = NULL WHERE developer_id = ?').run(person(number));
    }
    filler.close();
    expect(steps).toBeGreaterThan(40);
    expectComplete(client);
    client.close();
  });

  it('begins a count again if the transaction of its step was undone, or if another process continued', () => {
    const { client } = upgraded(400, 0);
    const filler = createFiller(client, { ms: 0, counted: 2 });
    const undone = client.transaction(() => {
      filler.step();
      throw new Error('disk full');
    });
    for (let steps = 0; steps < 30; steps += 1) {
      run(client, filler);
      expect(() => undone.immediate()).toThrow('disk full');
    }
    expect(listFills(client)).toMatchObject([{ name: 'download_sums' }]);
    const other = createFiller(client);
    run(client, other);
    other.close();
    while (run(client, filler));
    filler.close();
    expectComplete(client);
    client.close();
  });

  it('continues after the process was killed', async () => {
    using scripts = await bundleScripts([join(import.meta.dirname, 'fill-process.ts')]);
    const { client, file } = upgraded(9_000, 1_000);
    client.close();
    const left: number[] = [];
    for (const steps of [[2], [4], [6], []]) {
      const { signal, status } = spawnSync(process.execPath, [...scripts.files, file, ...steps.map(String)]);
      expect({ signal, status }).toEqual(
        steps.length > 0 ? { signal: 'SIGKILL', status: null } : { signal: null, status: 0 },
      );
      const { $client } = openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 });
      left.push(
        listFills($client).reduce(
          (all, { name, total, done }) => all + (name === 'download_sums' ? 0 : total - done),
          0,
        ),
      );
      $client.close();
    }
    expect(left).toEqual([9_600, 9_000, 3_000, 0]);
    const { $client } = openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 });
    expectComplete($client);
    $client.close();
  }, 120_000);

  it('sorts the builds of a project by version as soon as they are asked for', () => {
    const { client } = upgraded(0, 900);
    while (fillVersionKeysOf(client, 'q'));
    const missing = client
      .prepare("SELECT project_id, count(*) FROM builds WHERE version_key = '' GROUP BY 1")
      .raw()
      .all();
    expect(missing).toEqual([['p', 600]]);
    finishFills(client);
    expectComplete(client);
    client.close();
  });

  it('has nothing to do in a new database, nor in one whose totals are filled', () => {
    const file = join(folder, 'new.db');
    const { $client } = openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 });
    migrateDatabase($client, systemClock);
    expect(listFills($client)).toEqual([]);
    $client.close();
  });
});

describe('the room that fills need', () => {
  const openCopy = (client: Sqlite.Database, file: string) => {
    client.prepare('VACUUM INTO ?').run(file);
    return openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 }).$client;
  };

  it('is measured with the first rows of each', () => {
    const { client, file } = upgraded(4_000, 2_000);
    const copies = ['all', 'some', 'filled'].map((name) => openCopy(client, `${file}.${name}`));
    const [forAll, forSome, filled] = copies as [Sqlite.Database, Sqlite.Database, Sqlite.Database];
    const before = databaseBytes(filled);
    filled.pragma('wal_autocheckpoint = 0');
    finishFills(filled, SMALLEST_STEPS);
    const needed = { growth: databaseBytes(filled) - before, log: measureLog(filled) };
    expect(needed.growth).toBeGreaterThan(100_000);
    const all = measureFills(forAll);
    expect(all.growth).toBe(needed.growth);
    // Without the few pages of the last sums.
    expect(all.log / needed.log).toBeCloseTo(1, 1);
    const some = measureFills(forSome, 1_000);
    expect(some.growth / needed.growth).toBeCloseTo(1, 0);
    expect(some.log / needed.log).toBeCloseTo(1, 0);
    expect([listFills(forAll), listFills(forSome)].map((left) => left.map(({ name }) => name))).toEqual([
      ['download_sums'],
      ['download_sums'],
    ]);
    for (const one of [...copies, client]) one.close();
  });

  it('is that of the rows that are left', () => {
    const { client, file } = upgraded(8_000, 1_000);
    const filler = createFiller(client, { ...SMALLEST_STEPS, keys: { min: 1_000, max: 1_000 } });
    // The keys of builds, then three quarters of the downloads.
    while ((listFills(client).find(({ name }) => name === 'downloads')?.done ?? 0) < 6_000) run(client, filler);
    filler.close();
    const copies = ['all', 'some'].map((name) => openCopy(client, `${file}.${name}`));
    const [forAll, forSome] = copies as [Sqlite.Database, Sqlite.Database];
    const all = measureFills(forAll);
    const some = measureFills(forSome, 500);
    expect(all.log).toBeGreaterThan(100_000);
    expect(some.log / all.log).toBeGreaterThan(0.7);
    expect(some.log / all.log).toBeLessThan(2);
    for (const one of [...copies, client]) one.close();
  });

  it('is part of the room that an upgrade needs', () => {
    const withoutFills = migrations.map((one) =>
      one.name === '0040_background_fills'
        ? { ...one, statements: one.statements.filter((sql) => !sql.startsWith('INSERT ')) }
        : one,
    );
    const { client, file } = earlier(4_000, 2_000);
    const rehearse = (applied: typeof migrations) =>
      rehearseUpgrade({
        client,
        open: (path) => openDatabase({ file: path, synchronous: 'normal', busyTimeoutMs: 5_000 }),
        clock: systemClock,
        elapsed: () => 0,
        migrations: applied,
      });
    const [without, whole] = [rehearse(withoutFills), rehearse(migrations)];
    migrateDatabase(client, systemClock);
    const copy = openCopy(client, `${file}.copy`);
    expect([without?.backgroundRows, whole?.backgroundRows]).toEqual([0, 6_000]);
    const { growth, log } = measureFills(copy);
    const added = (whole?.neededBytes ?? 0) - (without?.neededBytes ?? 0);
    // The log is written over the journal of the migrations.
    expect(added).toBeGreaterThan(growth);
    expect(added).toBeLessThan(growth + log);
    copy.close();
    client.close();
  });
});
