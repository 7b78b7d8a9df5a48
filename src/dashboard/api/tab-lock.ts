// A lock across the tabs of a browser: Web Locks, or a lease in shared storage. Web Locks require a secure context, and
// a server in a local network may be opened over http.

import { storageKey } from './storage-key.ts';

export type TabLock = <T>(work: () => Promise<T>) => Promise<T>;

const NAME = 'taxiway.refresh';
const LEASE_MS = 10_000;
/** Longer than it takes for a write to become visible in other tabs. */
const SETTLE_MS = 40;

type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface LeaseOptions {
  memory: Memory;
  now(): number;
  pause(milliseconds: number): Promise<void>;
  /** Returns a name that is unique to this attempt. */
  name(): string;
}

/** Creates a lock from Web Locks if the browser has them, otherwise from a lease. */
export function createTabLock(locks: LockManager | undefined, lease: LeaseOptions): TabLock {
  if (locks === undefined) return createLeaseLock(lease);
  // The type of `request` doesn't return the type of its callback's result.
  return async (work) => {
    const results: Awaited<ReturnType<typeof work>>[] = [];
    await locks.request(storageKey(NAME), async () => {
      results.push(await work());
    });
    const [result] = results;
    return result as Awaited<ReturnType<typeof work>>;
  };
}

/**
 * Creates a lock from a lease: write this tab's name if nobody holds the lease, wait until all concurrent writes are
 * visible, and continue if the name is still there. If a tab is closed while it holds the lease, others wait until the
 * lease expires.
 */
export function createLeaseLock({ memory, now, pause, name }: LeaseOptions): TabLock {
  const read = () => {
    const [holder = '', until = '0'] = (memory.getItem(storageKey(NAME)) ?? '').split(' ');
    return { holder, until: Number(until) };
  };
  return async (work) => {
    const me = name();
    for (;;) {
      if (read().until <= now()) {
        memory.setItem(storageKey(NAME), `${me} ${now() + LEASE_MS}`);
        await pause(SETTLE_MS);
        if (read().holder === me) break;
      }
      await pause(SETTLE_MS);
    }
    try {
      return await work();
    } finally {
      if (read().holder === me) memory.removeItem(storageKey(NAME));
    }
  };
}
