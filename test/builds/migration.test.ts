// The migrations that add build number texts and project identifiers, and what versions are sorted by.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { finishFills } from '../../src/data/background-fills.ts';
import { openDatabase } from '../../src/data/database.ts';
import { embeddedMigrations, migrateDatabase } from '../../src/data/migrate.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { versionKey } from '../../src/lib/version-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'migrate-builds-'));
afterAll(() => rmSync(folder, { recursive: true }));

it("adds the packages' number texts, and sets a project's app from its first build", () => {
  const { $client } = openDatabase({ file: join(folder, 'test.db'), synchronous: 'full', busyTimeoutMs: 1000 });
  migrateDatabase($client, systemClock, embeddedMigrations().slice(0, 1));
  $client.exec("INSERT INTO organizations (id, name, created_at, tier) VALUES ('o', 'Northwind', 0, 'business')");
  const project = $client.prepare(
    "INSERT INTO projects (id, organization_id, name, platform, bundle_identifier, created_at) VALUES (?, 'o', ?, 'ios', ?, 0)",
  );
  project.run('p1', 'Unpinned', null);
  project.run('p2', 'Pinned', 'com.example.pinned');
  project.run('p3', 'Empty', null);
  const build = $client.prepare(
    `INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes,
        uploaded_at, object_key, inspection_status, pending_upload_id)
      VALUES (@id, 'o', @projectId, 'ios', '1.0', @number, '', 1, 0, @id, 'ok', @id)`,
  );
  const facts = $client.prepare('INSERT INTO build_facts (build_id, content) VALUES (?, ?)');
  const rows: [string, string, number, string | null, string | null][] = [
    ['b0', 'p1', 1, null, null],
    ['b1', 'p1', 2, '1.0', 'com.example.first'],
    ['b2', 'p1', 3, '1.1', 'com.example.second'],
    ['b3', 'p2', 1, null, 'com.example.other'],
  ];
  for (const [id, projectId, number, buildNumber, bundleIdentifier] of rows) {
    build.run({ id, projectId, number });
    if (bundleIdentifier !== null) facts.run(id, JSON.stringify({ buildNumber, bundleIdentifier }));
  }
  migrateDatabase($client, systemClock);
  const texts = $client.prepare('SELECT package_build_number FROM builds ORDER BY id').pluck().all();
  const pinned = $client.prepare('SELECT bundle_identifier FROM projects ORDER BY id').pluck().all();
  $client.close();
  expect(texts).toEqual([null, '1.0', '1.1', null]);
  expect(pinned).toEqual(['com.example.first', 'com.example.pinned', null]);
});

it('computes what versions are sorted by', () => {
  const migrations = embeddedMigrations();
  const before = migrations.findIndex(({ name }) => name.includes('build_source'));
  const { $client } = openDatabase({ file: join(folder, 'versions.db'), synchronous: 'full', busyTimeoutMs: 1000 });
  migrateDatabase($client, systemClock, migrations.slice(0, before));
  $client.exec("INSERT INTO organizations (id, name, created_at, tier) VALUES ('o', 'Northwind', 0, 'business')");
  $client.exec(
    "INSERT INTO projects (id, organization_id, name, platform, created_at) VALUES ('p', 'o', 'Tides', 'android', 0)",
  );
  const build = $client.prepare(
    `INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes,
        uploaded_at, object_key, inspection_status, pending_upload_id)
      VALUES (@id, 'o', 'p', 'android', @version, @number, '', 1, 0, @id, 'ok', @id)`,
  );
  const versions: [string, number][] = [
    ['1.9', 1],
    ['1.10', 9_007_199_254_740_991],
    ['1.10-rc.1', 3],
    ['1.10', 4],
  ];
  for (const [index, [version, number]] of versions.entries()) build.run({ id: `b${index}`, version, number });
  migrateDatabase($client, systemClock);
  finishFills($client);
  const sorted = $client.prepare('SELECT version_name, build_number FROM builds ORDER BY version_key').raw().all();
  const keys = $client.prepare('SELECT version_key FROM builds ORDER BY id').pluck().all();
  $client.close();
  expect(sorted).toEqual([versions[0], versions[2], versions[3], versions[1]]);
  expect(keys).toEqual(versions.map(([version, number]) => versionKey(version, number)));
});
