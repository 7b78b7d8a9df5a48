// What this browser knows of its session: when the access cookie ends. The tokens themselves are cookies that no script reads.

import { ownKey } from './own-key.ts';

const NAME = 'taxiway.session';

/** Renewed so long before its end, so that no request is on its way when it ends. */
export const RENEWED_BEFORE_MS = 20_000;

type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface SessionMemory {
  /** When the access cookie ends, in milliseconds; undefined when nobody is known to be signed in. It tells exchanges apart. */
  read(): number | undefined;
  write(endsAt: number): void;
  clear(): void;
}

/** A memory that every tab shares. Where there is no storage, the tab remembers for itself. */
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
          const endsAt = Number(memory.getItem(ownKey(NAME)) ?? Number.NaN);
          return Number.isFinite(endsAt) ? endsAt : undefined;
        },
        () => own,
      ),
    write(endsAt) {
      own = endsAt;
      using(
        (memory) => memory.setItem(ownKey(NAME), String(endsAt)),
        () => undefined,
      );
    },
    clear() {
      own = undefined;
      using(
        (memory) => memory.removeItem(ownKey(NAME)),
        () => undefined,
      );
    },
  };
}

/** Whether a storage event is about the session. */
export function isSessionEvent(event: Pick<StorageEvent, 'key'>): boolean {
  return event.key === ownKey(NAME) || event.key === null;
}
