// Totals of downloads: kept with each download, filled in by the migration, and read without counting.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countAdopters } from '../../src/channels/adoption.ts';
import { DOWNLOAD_TOTALS, totalDownloads } from '../../src/channels/download-totals.ts';
import { finishFills } from '../../src/data/background-fills.ts';
import { openDatabase } from '../../src/data/database.ts';
import { embeddedMigrations, migrateDatabase } from '../../src/data/migrate.ts';
import { developers, downloads, testerGrants } from '../../src/data/tables/tables.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

type Download = Partial<typeof downloads.$inferInsert>;

function download(row: Download): void {
  const { app, organization_id: organizationId, android_project_id: projectId } = fixture;
  const id = app.ids.next();
  app.db
    .insert(downloads)
    .values({ id, organizationId, projectId, buildId: 'build', createdAt: 0, ...row })
    .run();
}

const MIGRATION = '0009_download_totals';

it('counts each download for its release and its channel, and none without them', () => {
  const nothing = { downloads: 0, builds: 0, developers: 0, first: null, last: null };
  expect(totalDownloads(fixture.app, 'r1')).toEqual(nothing);
  download({ releaseId: 'r1', channelId: 'c1', buildId: 'b1', createdAt: 20 });
  download({ releaseId: 'r1', channelId: 'c1', buildId: 'b1', createdAt: 10 });
  download({ releaseId: 'r2', channelId: 'c1', buildId: 'b2', createdAt: 30 });
  download({ channelId: 'c1', buildId: 'b2', createdAt: 40 });
  download({ buildId: 'b2', createdAt: 50 });
  expect(totalDownloads(fixture.app, 'r1')).toEqual({ downloads: 2, builds: 1, developers: 0, first: 10, last: 20 });
  expect(totalDownloads(fixture.app, 'r2')).toEqual({ downloads: 1, builds: 1, developers: 0, first: 30, last: 30 });
  expect(totalDownloads(fixture.app, 'c1')).toEqual({ downloads: 4, builds: 2, developers: 0, first: 10, last: 40 });
  expect(totalDownloads(fixture.app, 'b2')).toEqual(nothing);
});

it('does not count a download of the same capability again', () => {
  const { app } = fixture;
  const row = {
    organizationId: 'o',
    projectId: 'p',
    buildId: 'b',
    releaseId: 'r3',
    capabilityId: 'once',
    createdAt: 1,
  };
  for (let count = 0; count < 2; count += 1) {
    app.db
      .insert(downloads)
      .values({ id: app.ids.next(), ...row })
      .onConflictDoNothing({ target: downloads.capabilityId })
      .run();
  }
  expect(totalDownloads(app, 'r3').downloads).toBe(1);
});

it('counts people exactly, in parts of two hundred', async () => {
  const { app, organization_id: organizationId, android_project_id: projectId } = fixture;
  const channel = { id: 'c4', organizationId, projectId };
  for (let number = 0; number < 401; number += 1) {
    const id = app.ids.next();
    const email = `tester-${number}@example.test`;
    app.db.insert(developers).values({ id, email, displayName: 'Tester', createdAt: 0 }).run();
    for (let count = 0; count < 2; count += 1) download({ releaseId: 'r4', channelId: 'c4', developerId: id });
    if (number % 2 === 0) continue;
    const grant = { id: app.ids.next(), organizationId, projectId, targetId: projectId, email, developerId: id };
    app.db
      .insert(testerGrants)
      .values({ ...grant, createdAt: 0, notifiedAt: 0 })
      .run();
  }
  download({ releaseId: 'r4', channelId: 'c4', developerId: null });
  expect(totalDownloads(app, 'r4').developers).toBe(401);
  expect(totalDownloads(app, 'c4').developers).toBe(401);
  expect(totalDownloads(app, 'c5').developers).toBe(0);
  expect(await countAdopters(app, channel, 'r4')).toBe(200);
  expect(totalDownloads(app, 'r4').downloads).toBe(803);
});

it('looks up totals by their key', () => {
  const plan = fixture.app.db.$client
    .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${DOWNLOAD_TOTALS}`)
    .all({ id: '' })
    .map(({ detail }) => detail);
  expect(plan).toEqual(['SEARCH download_sums USING PRIMARY KEY (subject_id=?)']);
});

it('fills in the totals of earlier downloads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'migrate-downloads-'));
  const db = openDatabase({ file: join(folder, 'test.db'), synchronous: 'normal', busyTimeoutMs: 1000 });
  const names = embeddedMigrations().map(({ name }) => name);
  migrateDatabase(db.$client, systemClock, embeddedMigrations().slice(0, names.indexOf(MIGRATION)));
  const insert = db.$client.prepare(
    `INSERT INTO downloads (id, organization_id, project_id, build_id, channel_id, release_id, created_at)
      VALUES (?, 'o', 'p', ?, ?, ?, ?)`,
  );
  insert.run('1', 'b1', 'c1', 'r1', 20);
  insert.run('2', 'b1', 'c1', 'r1', 10);
  insert.run('3', 'b2', 'c1', 'r2', 30);
  insert.run('4', 'b2', null, null, 40);
  insert.run('5', 'b3', 'same', 'same', 50);
  insert.run('6', 'b3', 'same', 'other', 60);
  migrateDatabase(db.$client, systemClock);
  finishFills(db.$client);
  insert.run('7', 'b1', 'c1', 'r1', 70);
  insert.run('8', 'b3', 'same', 'same', 80);
  expect(totalDownloads({ db }, 'r1')).toEqual({ downloads: 3, builds: 1, developers: 0, first: 10, last: 70 });
  expect(totalDownloads({ db }, 'r2')).toEqual({ downloads: 1, builds: 1, developers: 0, first: 30, last: 30 });
  expect(totalDownloads({ db }, 'c1')).toEqual({ downloads: 4, builds: 2, developers: 0, first: 10, last: 70 });
  expect(totalDownloads({ db }, 'same')).toEqual({ downloads: 3, builds: 1, developers: 0, first: 50, last: 80 });
  db.$client.close();
  rmSync(folder, { recursive: true });
});
