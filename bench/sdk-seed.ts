// A channel with ten thousand releases and a hundred thousand installs, inserted directly into the tables.
import type { App } from '../src/core/context.ts';
import { systemContext } from '../src/core/transact.ts';
import { builds, channels, releases, sdkApps } from '../src/data/tables/tables.ts';
import { hashUpdateToken } from '../src/sdk/credentials.ts';
import { insertInstall, insertToken } from '../src/sdk/install-store.ts';
import type { SeededIds } from './server-fixture.ts';

export const RELEASES = 10_000;
export const INSTALLS = 100_000;
/** One of this many releases is mandatory. */
const MANDATORY_EVERY = 100;

export interface SdkSeed {
  channelId: string;
  appKey: string;
  /** The newest release. */
  releaseId: string;
  /** Tokens of installs, spread over all of them. */
  tokens: string[];
}

/** Seeds the installs and returns `asking` of their tokens. */
export function seedSdk(app: App, fixture: SeededIds, asking: number): SdkSeed {
  const now = app.clock.now().getTime();
  const inProject = { organizationId: fixture.organizationId, projectId: fixture.androidProjectId };
  const channelId = app.ids.next();
  const sdkAppId = app.ids.next();
  const appKey = app.secrets.token('svc_app_');
  const tokens: string[] = [];
  let releaseId = '';
  const ctx = systemContext(app);
  ctx.transact(
    (tx) => {
      tx.db
        .insert(channels)
        .values({
          ...inProject,
          id: channelId,
          name: 'updates',
          autoDistribute: false,
          notifyOnRelease: false,
          isPublic: false,
          createdAt: now,
        })
        .run();
      for (let number = 1; number <= RELEASES; number += 1) releaseId = addRelease(tx.db, number);
      tx.db
        .insert(sdkApps)
        .values({
          ...inProject,
          id: sdkAppId,
          channelId,
          name: 'Harbour',
          appKey,
          secretHash: app.secrets.hash('secret'),
          installCount: INSTALLS,
          createdAt: now,
        })
        .run();
      for (let number = 0; number < INSTALLS; number += 1) {
        const id = app.ids.next();
        const token = app.secrets.token('svc_upd_');
        insertInstall(tx, {
          id,
          sdkAppId,
          installId: app.ids.next(),
          bundleIdentifier: 'com.example.app',
          deviceModel: 'Pixel 9',
          osVersion: '16',
          versionName: `1.${RELEASES - 50}`,
          buildNumber: RELEASES - 50,
          enrolledAt: now,
          lastSeenAt: now,
        });
        const expiresAt = now + 30 * 86_400_000;
        insertToken(tx, {
          tokenHash: hashUpdateToken(app, appKey, token),
          installRowId: id,
          createdAt: now,
          expiresAt,
          replacedAt: null,
          seenAt: now,
          versionName: `1.${RELEASES - 50}`,
          buildNumber: RELEASES - 50,
        });
        if (number % Math.floor(INSTALLS / asking) === 0) tokens.push(token);
      }
    },
    { bookkeeping: true },
  );
  return { channelId, appKey, releaseId, tokens };

  function addRelease(db: App['db'], number: number): string {
    const buildId = app.ids.next();
    db.insert(builds)
      .values({
        ...inProject,
        id: buildId,
        platform: 'android',
        versionName: `1.${number}`,
        buildNumber: number,
        sha256: '0'.repeat(64),
        sizeBytes: 200_000_000,
        uploadedAt: now,
        bundleIdentifier: 'com.example.app',
        releaseNotes: 'Fixes the sign-in on older phones.',
        minOsVersion: '26',
        objectKey: `builds/${buildId}/package.apk`,
        inspectionStatus: 'ok',
        pendingUploadId: app.ids.next(),
      })
      .run();
    const id = app.ids.next();
    const mandatory = number % MANDATORY_EVERY === 0;
    db.insert(releases)
      .values({ ...inProject, id, channelId, buildId, mandatory, state: 'active', createdAt: now })
      .run();
    return id;
  }
}
