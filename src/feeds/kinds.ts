// The kinds of feeds, with the facts about each of them. Shared with the web app, which has their names.
import type { Platform } from '../platforms.ts';

interface FeedFacts {
  /** Below the address of a channel's feeds. */
  path: string;
  /** The platform whose channels have it; null for all of them. */
  platform: Platform | null;
  /** The app stores that install from it. */
  stores: readonly string[];
  /** For the API reference. */
  description: string;
}

export const feedFacts = {
  fdroid: {
    path: 'fdroid/repo',
    platform: 'android',
    stores: ['F-Droid'],
    description: 'F-Droid repository, for Android channels; clients append the names of its files',
  },
  obtainium: {
    path: 'obtainium',
    platform: 'android',
    stores: ['Obtainium'],
    description: 'Page for Obtainium (source type HTML), for Android channels',
  },
  latest_apk: {
    path: 'latest.apk',
    platform: 'android',
    stores: [],
    description: 'Stable address of the newest package, for Android channels',
  },
  altstore: {
    path: 'altstore.json',
    platform: 'ios',
    stores: ['AltStore', 'SideStore'],
    description: 'Source of AltStore and SideStore, for iOS channels',
  },
  atom: { path: 'atom.xml', platform: null, stores: [], description: 'Atom feed of the releases' },
} as const satisfies Record<string, FeedFacts>;

/** The address of a kind has the field `<kind>_url`. */
export type FeedKind = keyof typeof feedFacts;

export const feedKinds = Object.keys(feedFacts) as FeedKind[];

/** Whether the channels of a platform have feeds of a kind. */
export function offers(platform: Platform, kind: FeedKind): boolean {
  const only = feedFacts[kind].platform;
  return only === null || only === platform;
}

/** Returns the app stores that install from the feeds of a platform. */
export function storesOf(platform: Platform): string[] {
  return feedKinds.filter((kind) => offers(platform, kind)).flatMap((kind) => feedFacts[kind].stores);
}
