// The sign-in by email that this browser waits for. People leave for their mail program, and phones may reload the page
// when they return; the link in the email opens another tab.
import { EMAIL_CODE_MS } from '../../../lib/lifetimes.ts';
import { storageKey } from '../../api/storage-key.ts';

const NAME = 'taxiway.email-sign-in';

export interface PendingEmail {
  email: string;
  /** The path to open afterwards, with the base path. */
  back: string;
}

/** Remembers a requested code for its lifetime. */
export function notePendingEmail(pending: PendingEmail): void {
  use((storage) =>
    storage.setItem(storageKey(NAME), JSON.stringify({ ...pending, until: Date.now() + EMAIL_CODE_MS })),
  );
}

/** Returns the requested code that may still be valid, or undefined. */
export function readPendingEmail(): PendingEmail | undefined {
  const stored = use((storage) => JSON.parse(storage.getItem(storageKey(NAME)) ?? 'null') as unknown);
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { email, back, until } = stored as Record<string, unknown>;
  const isValid = typeof email === 'string' && typeof back === 'string' && Number(until) > Date.now();
  return isValid ? { email, back } : undefined;
}

export function clearPendingEmail(): void {
  use((storage) => storage.removeItem(storageKey(NAME)));
}

/** Without storage, the form remembers it as long as it's open. */
function use<Result>(work: (storage: Storage) => Result): Result | undefined {
  try {
    return work(localStorage);
  } catch {
    return undefined;
  }
}
