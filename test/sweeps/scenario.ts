// Old builds and releases, inserted directly into the tables.
import { releases, builds as table } from '../../src/data/tables/tables.ts';
import type { Fixture } from '../../src/testing/fixture.ts';

/** Adds a build of the Android project that is this many milliseconds old, with its object; answers its id. */
export async function addBuild({ app, ...world }: Fixture, buildNumber: number, ageMs: number): Promise<string> {
  const id = app.ids.next();
  const objectKey = `builds/${id}/package.apk`;
  await app.storage.put(objectKey, Buffer.from('a package'));
  app.db
    .insert(table)
    .values({
      id,
      organizationId: world.organization_id,
      projectId: world.android_project_id,
      platform: 'android',
      versionName: '1.0',
      buildNumber,
      sha256: '0'.repeat(64),
      sizeBytes: 9,
      uploadedAt: app.clock.now().getTime() - ageMs,
      objectKey,
      inspectionStatus: 'unreadable',
      pendingUploadId: app.ids.next(),
    })
    .run();
  return id;
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
