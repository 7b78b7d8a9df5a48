// Old builds and releases, inserted directly into the tables.
import { releases, builds as table } from '../../src/data/tables/tables.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { insertRows } from '../support/insert-rows.ts';

/** Adds a build of the Android project that is this many milliseconds old, with its object; answers its id. */
export async function addBuild({ app, ...world }: Fixture, buildNumber: number, ageMs: number): Promise<string> {
  const row = buildRow({ app, ...world }, buildNumber, ageMs);
  await app.storage.put(row.objectKey, Buffer.from('a package'));
  app.db.insert(table).values(row).run();
  return row.id;
}

/** Adds new builds of the Android project without objects. */
export function addManyBuilds(fixture: Fixture, buildNumbers: readonly number[]): void {
  const rows = buildNumbers.map((buildNumber) => buildRow(fixture, buildNumber, 0));
  insertRows(fixture.app.db, table, rows);
}

function buildRow({ app, ...world }: Fixture, buildNumber: number, ageMs: number) {
  const id = app.ids.next();
  return {
    id,
    organizationId: world.organization_id,
    projectId: world.android_project_id,
    platform: 'android',
    versionName: '1.0',
    buildNumber,
    sha256: '0'.repeat(64),
    sizeBytes: 9,
    uploadedAt: app.clock.now().getTime() - ageMs,
    objectKey: `builds/${id}/package.apk`,
    inspectionStatus: 'unreadable',
    pendingUploadId: app.ids.next(),
  } as const;
}

/** Releases a build to the fixture's channel; answers the release's id. */
export function addRelease(
  { app, ...world }: Fixture,
  buildId: string,
  state: 'active' | 'disabled' | 'rolled_back' = 'active',
): string {
  const id = app.ids.next();
  const inProject = { organizationId: world.organization_id, projectId: world.android_project_id };
  const row = { ...inProject, id, channelId: world.channel_id, buildId, state, mandatory: false };
  app.db
    .insert(releases)
    .values({ ...row, createdAt: app.clock.now().getTime() })
    .run();
  return id;
}
