// The organization that was looked at last in this browser.

import { ownKey } from '../api/own-key.ts';

const NAME = 'taxiway.organization';

export function readChosenOrganization(): string | null {
  try {
    return localStorage.getItem(ownKey(NAME));
  } catch {
    return null;
  }
}

/** Remembers the organization for the next visit. */
export function keepChosenOrganization(id: string): void {
  try {
    localStorage.setItem(ownKey(NAME), id);
  } catch {
    // The first one is shown then.
  }
}

/** Forgets it, for when it is left or deleted: nothing is to be read of it any more. */
export function clearChosenOrganization(): void {
  try {
    localStorage.removeItem(ownKey(NAME));
  } catch {
    // There was none.
  }
}
