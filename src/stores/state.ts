// What is known about the providers between requests: tokens of Google and used places at Apple. Lost with the process.

import { definePart } from '../core/parts.ts';
import { MINUTE } from '../lib/clock.ts';

/** How long the places and profiles that were read are used. */
export const MAX_AGE_MS = 10 * MINUTE;

/** The places that a team has used, by Apple's class of devices. */
export interface UsedPlaces {
  checkedAt: number;
  byClass: Map<string, number>;
  /** The identifiers of the counted devices, in lower case. */
  udids: Set<string>;
}

/** A device that takes a place. */
export interface CountedDevice {
  udid: string;
  deviceClass: string;
}

/** A provisioning profile of a team, with the identifiers of its devices. */
export interface AppleProfile {
  id: string;
  uuid: string;
  name: string;
  type: 'ad_hoc' | 'development';
  isActive: boolean;
  /** Milliseconds since 1970; null if Apple doesn't say. */
  createdAt: number | null;
  expiresAt: number | null;
  udids: readonly string[];
}

export interface StoreState {
  /** Aborts when the server stops. */
  stopping: AbortSignal;
  /** Access tokens of Google, by connection. */
  tokens: RecentMap<{ keyId: string; token: string; until: number }>;
  /** By connection. */
  places: RecentMap<UsedPlaces>;
  /** The lists of devices that are being read, with the devices registered since the reading began, which a list can lack. */
  reads: Set<{ connectionId: string; registered: CountedDevice[] }>;
  /** Provisioning profiles, by connection. */
  profiles: RecentMap<{ checkedAt: number; profiles: readonly AppleProfile[] }>;
  stop(): void;
}

/** A map that forgets its oldest entries. */
export interface RecentMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

const MAX_ENTRIES = 500;

function createRecentMap<Value>(): RecentMap<Value> {
  const entries = new Map<string, Value>();
  return {
    get: (key) => entries.get(key),
    delete: (key) => void entries.delete(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    },
  };
}

/** The state of an app. */
export const storeStateOf = definePart<StoreState>({
  open() {
    const stopping = new AbortController();
    return {
      stopping: stopping.signal,
      tokens: createRecentMap(),
      places: createRecentMap(),
      reads: new Set(),
      profiles: createRecentMap(),
      stop: () => stopping.abort(),
    };
  },
  close: (state) => state.stop(),
});
