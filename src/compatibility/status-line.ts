// The line that summarizes who can install a build, for the command line and the web app. It has no imports at run
// time.
import type { Installability } from './installability-schema.ts';

/** The number of registered devices of the organization, and of those that can install the build. */
export interface DeviceCount {
  devices_total: number;
  devices_able: number;
}

type Obstacle = Installability['reason'];

/** The texts of a language. Systems are names such as "iOS 15.0". */
export interface StatusWords {
  onDevices(able: number, total: number): string;
  onProfileDevices: string;
  onEveryDevice: string;
  /** On a system and later ones. */
  fromSystem(system: string): string;
  /** On a system and earlier ones. Android 11 and later want another signature. */
  untilSystem(system: string): string;
  onAndroid: string;
  unknown: string;
  simulator: string;
  nobody(why: string): string;
  expired(date: string): string;
  /** The reason why nobody can install a build, as the end of a sentence. */
  reasons: Record<Exclude<Obstacle, 'simulator' | 'provisioned' | 'enterprise' | 'installable'>, string>;
}

export const englishStatus: StatusWords = {
  onDevices: (able, total) => `Installs on ${able} of ${total === 1 ? '1 device' : `${total} devices`}`,
  onProfileDevices: 'Installs on the devices in its profile',
  onEveryDevice: 'Installs on every iPhone and iPad',
  fromSystem: (system) => `Installs on ${system} and later`,
  untilSystem: (system) => `Installs only on ${system} and earlier: newer systems need another signature`,
  onAndroid: 'Installs on every Android device',
  unknown: "The package can't be read, but Android may install it",
  simulator: 'For simulators only',
  nobody: (why) => `Nobody can install this: ${why}`,
  expired: (date) => `the profile expired on ${date}`,
  reasons: {
    revoked: 'the build was revoked',
    unreadable: "the package can't be read",
    unsigned: "the package isn't signed",
    partial: 'the package is only part of an app',
    test_only: 'the package is marked test-only',
    app_store_profile: 'the package is signed for the App Store',
    profile_expired: 'the profile expired',
    not_provisioned: 'the profile names no devices',
  },
};

/**
 * Returns the line, such as "Installs on 34 of 40 devices". `count` is omitted for Android builds and while it is
 * unknown. `formatDate` formats a timestamp as a day.
 */
export function describeStatus(
  { status, reason, needed_system: system, newest_system: newest, profile_expires_at: expiresAt }: Installability,
  words: StatusWords,
  formatDate: (timestamp: string) => string,
  count?: DeviceCount,
): string {
  if (status === 'unknown') return words.unknown;
  if (reason === 'simulator') return words.simulator;
  if (reason === 'profile_expired' && expiresAt !== null) return words.nobody(words.expired(formatDate(expiresAt)));
  if (count !== undefined && count.devices_total > 0 && status === 'installable') {
    return words.onDevices(count.devices_able, count.devices_total);
  }
  if (reason === 'provisioned') return words.onProfileDevices;
  if (reason === 'enterprise') return system === null ? words.onEveryDevice : words.fromSystem(system);
  if (reason === 'installable' && newest !== null) return words.untilSystem(newest);
  if (reason === 'installable') return system === null ? words.onAndroid : words.fromSystem(system);
  return words.nobody(words.reasons[reason]);
}
