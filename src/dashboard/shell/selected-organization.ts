// The organization that was last used in this browser.

import { storageKey } from '../api/storage-key.ts';

const NAME = 'taxiway.organization';

export function readSelectedOrganization(): string | null {
  try {
    return localStorage.getItem(storageKey(NAME));
  } catch {
    return null;
  }
}

/** Stores the organization for the next visit. */
export function saveSelectedOrganization(id: string): void {
  try {
    localStorage.setItem(storageKey(NAME), id);
  } catch {
    // Without storage, the first organization is selected on each visit.
  }
}

/** Removes it after the organization was left or deleted, or another person signed in, because reading it would fail. */
export function clearSelectedOrganization(): void {
  try {
    localStorage.removeItem(storageKey(NAME));
  } catch {
    // Without storage there is nothing to remove.
  }
}
