// The line about the devices that can install a build, for every case of its installability.
import { describe, expect, it } from 'vitest';
import type { Installability } from '../../src/compatibility/installability-schema.ts';
import { describeStatus, englishStatus } from '../../src/compatibility/status-line.ts';

const of = (
  status: Installability['status'],
  reason: Installability['reason'],
  more: Partial<Installability> = {},
): Installability => ({
  status,
  reason,
  profile_expires_at: null,
  needed_system: null,
  newest_system: null,
  ...more,
});

describe('the line about who can install a build', () => {
  it.each<[Installability, [number, number] | undefined, string]>([
    [of('installable', 'provisioned'), [34, 40], 'Installs on 34 of 40 devices'],
    [of('installable', 'provisioned'), [0, 1], 'Installs on 0 of 1 device'],
    [of('installable', 'provisioned'), [0, 0], 'Installs on the devices in its profile'],
    [of('installable', 'provisioned'), undefined, 'Installs on the devices in its profile'],
    [of('installable', 'enterprise', { needed_system: 'iOS 15.0' }), undefined, 'Installs on iOS 15.0 and later'],
    [of('installable', 'enterprise'), undefined, 'Installs on every iPhone and iPad'],
    [of('installable', 'enterprise'), [3, 4], 'Installs on 3 of 4 devices'],
    [of('installable', 'installable', { needed_system: 'Android 9' }), undefined, 'Installs on Android 9 and later'],
    [of('installable', 'installable'), undefined, 'Installs on every Android device'],
    [
      of('installable', 'installable', { needed_system: 'Android 5.0', newest_system: 'Android 10' }),
      undefined,
      'Installs only on Android 10 and earlier: newer systems need another signature',
    ],
    [of('unknown', 'unreadable'), undefined, "The package can't be read, but Android may install it"],
    [of('uninstallable', 'simulator'), [0, 40], 'For simulators only'],
    [of('uninstallable', 'revoked'), undefined, 'Nobody can install this: the build was revoked'],
    [of('uninstallable', 'unreadable'), undefined, "Nobody can install this: the package can't be read"],
    [of('uninstallable', 'unsigned'), undefined, "Nobody can install this: the package isn't signed"],
    [of('uninstallable', 'partial'), undefined, 'Nobody can install this: the package is only part of an app'],
    [of('uninstallable', 'test_only'), undefined, 'Nobody can install this: the package is marked test-only'],
    [
      of('uninstallable', 'app_store_profile', { profile_expires_at: '2030-01-01T00:00:00.000Z' }),
      undefined,
      'Nobody can install this: the package is signed for the App Store',
    ],
    [
      of('uninstallable', 'profile_expired', { profile_expires_at: '2016-12-07T00:00:00.000Z' }),
      [0, 40],
      'Nobody can install this: the profile expired on 2016-12-07',
    ],
    [of('uninstallable', 'not_provisioned'), undefined, 'Nobody can install this: the profile names no devices'],
  ])('of %j with %j is %j', (installability, counts, line) => {
    const count = counts && { devices_able: counts[0], devices_total: counts[1] };
    const day = (timestamp: string) => timestamp.slice(0, 10);
    expect(describeStatus(installability, englishStatus, day, count)).toBe(line);
  });
});
