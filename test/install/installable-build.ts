// The facts of an installable build, of which tests change one at a time.
import type { BuildFacts } from '../../src/compatibility/verdict.ts';
import type { Platform } from '../../src/platforms.ts';

/** Its ad hoc profile, on iOS, names `NAMED-DEVICE` and does not say when it ends. */
export function installableBuild(platform: Platform): BuildFacts {
  return {
    platform,
    isRevoked: false,
    minOsVersion: platform === 'ios' ? '15.0' : '26',
    archive: {
      isSimulatorBuild: false,
      isPartial: false,
      isTestOnly: false,
      isDebuggable: false,
      isUnsigned: false,
      families: platform === 'ios' ? ['iphone', 'ipad'] : [],
      abis: [],
      verifiedFromSdk: null,
      profile: platform === 'ios' ? { kind: 'ad-hoc', expiresAt: null } : null,
    },
    provisionedDevices: listOf(['NAMED-DEVICE']),
  };
}

/** The devices of a profile. */
export function listOf(udids: readonly string[]): BuildFacts['provisionedDevices'] {
  return { has: (udid) => udids.includes(udid), isEmpty: () => udids.length === 0 };
}
