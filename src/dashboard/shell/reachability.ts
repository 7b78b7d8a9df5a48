// Whether the server responds. If it doesn't, it is polled with increasing pauses until it does.
import { useSyncExternalStore } from 'react';

export interface Reachability {
  note(isReached: boolean): void;
  isReached(): boolean;
  /** Asks the server now, and notes whether it responds. */
  check(): Promise<boolean>;
  /** Calls the listener on each change. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;

/** Derives the status from the app's requests and the browser's online and offline events. */
export function createReachability(base: string): Reachability {
  const listeners = new Set<() => void>();
  const state = { isReached: true, isConfirming: false, pause: FIRST_PAUSE_MS };

  async function check(): Promise<boolean> {
    const isReachable = await fetch(`${base}/health/live`, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    );
    report(isReachable);
    return isReachable;
  }

  async function ask(): Promise<void> {
    state.isConfirming = false;
    await check();
  }

  function askLater(): void {
    if (state.isConfirming) return;
    state.isConfirming = true;
    setTimeout(() => void ask(), state.pause);
    state.pause = Math.min(state.pause * 1.6, MAX_PAUSE_MS);
  }

  function report(isReached: boolean): void {
    if (isReached) state.pause = FIRST_PAUSE_MS;
    else askLater();
    if (isReached === state.isReached) return;
    state.isReached = isReached;
    for (const listener of listeners) listener();
  }

  addEventListener('offline', () => report(false));
  addEventListener('online', () => void ask());
  return {
    note: report,
    isReached: () => state.isReached,
    check,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns whether the server responds. */
export function useIsReachable(reachability: Reachability): boolean {
  return useSyncExternalStore(reachability.subscribe, reachability.isReached);
}
