// Build facts for compatibility verdicts, from the database.

import type { BuildFacts } from '../compatibility/verdict.ts';
import type { App } from '../core/context.ts';
import type { ArchiveFacts } from '../inspection/facts.ts';
import { findArchiveFacts, isProvisioned, listProvisioned, namesDevices } from './fact-store.ts';
import type { BuildRow } from './store.ts';

type StoredBuild = Pick<BuildRow, 'id' | 'platform' | 'revokedAt' | 'minOsVersion'>;

/**
 * Returns facts for checking a single device. Reads one small row, and the profile's device list only if it decides.
 */
export function loadBuildFacts(
  app: Pick<App, 'db'>,
  build: StoredBuild,
): BuildFacts & { archive: ArchiveFacts | null } {
  return {
    ...baseFacts(app, build),
    provisionedDevices: {
      has: (udid) => isProvisioned(app, build.id, udid),
      // Not a getter: V8 keeps the getters of an object literal, and with them the request, until a full garbage collection.
      isEmpty: () => !namesDevices(app, build.id),
    },
  };
}

export interface BuildFactsForMany extends BuildFacts {
  /** The devices in the profile, normalized. */
  udids: ReadonlySet<string>;
}

/** Returns facts for checking many devices. Reads the profile's device list once. */
export function loadBuildFactsForMany(app: Pick<App, 'db'>, build: StoredBuild): BuildFactsForMany {
  const udids = listProvisioned(app, build.id);
  const provisionedDevices = { has: (udid: string) => udids.has(udid), isEmpty: () => udids.size === 0 };
  return { ...baseFacts(app, build), provisionedDevices, udids };
}

function baseFacts(app: Pick<App, 'db'>, { id, platform, revokedAt, minOsVersion }: StoredBuild) {
  return { platform, isRevoked: revokedAt !== null, minOsVersion, archive: findArchiveFacts(app, id) };
}
