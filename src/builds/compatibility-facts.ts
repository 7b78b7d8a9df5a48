// Build facts for the verdict, from what is stored.

import type { BuildFacts } from '../compatibility/verdict.ts';
import type { App } from '../core/context.ts';
import { findArchiveFacts, isProvisioned, listProvisioned, namesDevices } from './fact-store.ts';
import type { BuildRow } from './store.ts';

type StoredBuild = Pick<BuildRow, 'id' | 'platform' | 'revokedAt' | 'minOsVersion'>;

/** Facts to judge one device by: a small row is read, and the profile's list of devices only if it decides. */
export function loadBuildFacts(app: Pick<App, 'db'>, build: StoredBuild): BuildFacts {
  return {
    ...baseFacts(app, build),
    provisionedDevices: {
      has: (udid) => isProvisioned(app, build.id, udid),
      get isEmpty() {
        return !namesDevices(app, build.id);
      },
    },
  };
}

/** Facts to judge many devices by: the profile's list of devices is read once. */
export function loadBuildFactsForMany(app: Pick<App, 'db'>, build: StoredBuild): BuildFacts {
  const udids = listProvisioned(app, build.id);
  const provisionedDevices = { has: (udid: string) => udids.has(udid), isEmpty: udids.size === 0 };
  return { ...baseFacts(app, build), provisionedDevices };
}

function baseFacts(app: Pick<App, 'db'>, { id, platform, revokedAt, minOsVersion }: StoredBuild) {
  return { platform, isRevoked: revokedAt !== null, minOsVersion, archive: findArchiveFacts(app, id) };
}
