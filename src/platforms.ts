// The platforms of packages, with the facts about each of them.

interface PlatformFacts {
  /** The name, the same in every language. */
  name: string;
  /** The ending of packages, without the dot. */
  extension: string;
  /** The media type of packages. */
  contentType: string;
  /** The browser that opens install links. */
  browser: string;
  /** The names of its devices, the same in every language. */
  devices: readonly string[];
}

const facts = {
  ios: {
    name: 'iOS',
    extension: 'ipa',
    contentType: 'application/octet-stream',
    browser: 'Safari',
    devices: ['iPhone', 'iPad'],
  },
  android: {
    name: 'Android',
    extension: 'apk',
    contentType: 'application/vnd.android.package-archive',
    browser: 'Chrome',
    devices: ['Android'],
  },
} as const satisfies Record<string, PlatformFacts>;

export type Platform = keyof typeof facts;

export const platformFacts: Readonly<Record<Platform, PlatformFacts>> = facts;

export const platforms = Object.keys(facts) as [Platform, ...Platform[]];
