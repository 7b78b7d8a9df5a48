// The number of apps in the sidebar at the last visit, so that it keeps its height while they are loading.

import { storageKey } from '../api/storage-key.ts';

const NAME = 'taxiway.app-count';

/** Returns the number of apps of an organization; undefined if it isn't known. */
export function readAppCount(organizationId: string): number | undefined {
  try {
    const [id, count] = (localStorage.getItem(storageKey(NAME)) ?? '').split(' ');
    return id === organizationId ? Number(count) : undefined;
  } catch {
    return undefined;
  }
}

/** Stores it for the next visit; only of the organization that was visited last. */
export function saveAppCount(organizationId: string, count: number): void {
  try {
    localStorage.setItem(storageKey(NAME), `${organizationId} ${count}`);
  } catch {
    // Without storage, the groups below the apps appear with them.
  }
}
