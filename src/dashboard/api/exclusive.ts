// One at a time across the tabs of a browser: Web Locks, or a lease in the shared storage where there are none (they need a
// secure context, and a server in a local network may be reached by plain http).

import { ownKey } from './own-key.ts';

export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

const NAME = 'taxiway.refresh';
const LEASE_MS = 10_000;
/** Longer than one tab takes to see what another has written. */
const SETTLE_MS = 40;

type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface LeaseParts {
  memory: Memory;
  now(): number;
  pause(milliseconds: number): Promise<void>;
  /** Names this tab's attempt. */
  name(): string;
}

/** Exclusion by the browser's own locks where it has them. */
export function createExclusive(locks: LockManager | undefined, lease: LeaseParts): Exclusive {
  if (locks === undefined) return createLeaseLock(lease);
  // The type of `request` cannot tell that it answers what the work answers.
  return async (work) => {
    const results: Awaited<ReturnType<typeof work>>[] = [];
    await locks.request(ownKey(NAME), async () => {
      results.push(await work());
    });
    const [result] = results;
    return result as Awaited<ReturnType<typeof work>>;
  };
}

/**
 * Exclusion by a lease: write one's name where none holds, wait until everybody else who did the same has, and go on when
 * it still stands there. A tab that dies holding it is waited for until its lease ends.
 */
export function createLeaseLock({ memory, now, pause, name }: LeaseParts): Exclusive {
  const read = () => {
    const [holder = '', until = '0'] = (memory.getItem(ownKey(NAME)) ?? '').split(' ');
    return { holder, until: Number(until) };
  };
  return async (work) => {
    const me = name();
    for (;;) {
      if (read().until <= now()) {
        memory.setItem(ownKey(NAME), `${me} ${now() + LEASE_MS}`);
        await pause(SETTLE_MS);
        if (read().holder === me) break;
      }
      await pause(SETTLE_MS);
    }
    try {
      return await work();
    } finally {
      if (read().holder === me) memory.removeItem(ownKey(NAME));
    }
  };
}
