// When the session's access cookie expires, as known to this browser. Scripts can't read the cookies themselves.

import { storageKey } from './storage-key.ts';

const NAME = 'taxiway.session';
/** Stored instead of the time of a session that ended by itself. */
const EXPIRED = 'expired';

/** How long before expiry the session is renewed, so that it doesn't expire during a request. */
export const RENEW_BEFORE_MS = 20_000;

type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface SessionMemory {
  /**
   * When the access cookie expires, in milliseconds since the epoch; undefined if nobody is known to be signed in. Each
   * renewal has another value.
   */
  read(): number | undefined;
  write(expiresAt: number): void;
  /** Forgets a session that ended by itself. Other tabs then keep their page, and ask to sign in again. */
  expire(): void;
  /** Forgets a session that the user ended. Other tabs then leave their page. */
  clear(): void;
}

/** Stores the expiry for all tabs, or for this tab alone if storage isn't available. */
export function createSessionMemory(storage: () => Memory): SessionMemory {
  let own: number | undefined;
  const using = <T>(work: (memory: Memory) => T, otherwise: () => T): T => {
    try {
      return work(storage());
    } catch {
      return otherwise();
    }
  };
  return {
    read: () =>
      using(
        (memory) => {
          const expiresAt = Number(memory.getItem(storageKey(NAME)) ?? Number.NaN);
          return Number.isFinite(expiresAt) ? expiresAt : undefined;
        },
        () => own,
      ),
    write(expiresAt) {
      own = expiresAt;
      using(
        (memory) => memory.setItem(storageKey(NAME), String(expiresAt)),
        () => undefined,
      );
    },
    expire() {
      own = undefined;
      using(
        (memory) => memory.setItem(storageKey(NAME), EXPIRED),
        () => undefined,
      );
    },
    clear() {
      own = undefined;
      using(
        (memory) => memory.removeItem(storageKey(NAME)),
        () => undefined,
      );
    },
  };
}

/** Returns whether a storage event is about the session. */
export function isSessionEvent(event: Pick<StorageEvent, 'key'>): boolean {
  return event.key === storageKey(NAME) || event.key === null;
}

/** Returns whether a storage event says that the session ended by itself in another tab. */
export function isExpiryEvent(event: Pick<StorageEvent, 'key' | 'newValue'>): boolean {
  return event.key === storageKey(NAME) && event.newValue === EXPIRED;
}
