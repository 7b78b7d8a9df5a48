// The migration that adds build number texts and project identifiers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openDatabase } from '../../src/data/database.ts';
import { embeddedMigrations, migrateDatabase } from '../../src/data/migrate.ts';
import { systemClock } from '../../src/lib/clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'migrate-builds-'));
afterEach(() => rmSync(folder, { recursive: true }));

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
