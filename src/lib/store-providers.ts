// The app stores that builds can be published to, each with the platform of its builds.
import type { Platform } from '../platforms.ts';

export const storePlatforms = {
  app_store_connect: 'ios',
  google_play: 'android',
} as const satisfies Record<string, Platform>;

export type StoreProvider = keyof typeof storePlatforms;

export const storeProviders = Object.keys(storePlatforms) as [StoreProvider, ...StoreProvider[]];
