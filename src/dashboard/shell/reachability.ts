// Whether the server answers. Once it does not, it is asked until it does again, with growing pauses.
import { useSyncExternalStore } from 'react';

export interface Reachability {
  note(isReached: boolean): void;
  isReached(): boolean;
  /** Calls back on each change; answers how to stop. */
  watch(listener: () => void): () => void;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;

/** Watches the requests of the app, and the browser's own word. */
export function createReachability(base: string): Reachability {
  const listeners = new Set<() => void>();
  const state = { isReached: true, isAsking: false, pause: FIRST_PAUSE_MS };

  async function ask(): Promise<void> {
    state.isAsking = false;
    const isReached = await fetch(`${base}/health/live`, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReached) note(true);
    else askLater();
  }

  function askLater(): void {
    if (state.isAsking) return;
    state.isAsking = true;
    setTimeout(() => void ask(), state.pause);
    state.pause = Math.min(state.pause * 1.6, LONGEST_PAUSE_MS);
  }

  function note(isReached: boolean): void {
    if (isReached) state.pause = FIRST_PAUSE_MS;
    else askLater();
    if (isReached === state.isReached) return;
    state.isReached = isReached;
    for (const listener of listeners) listener();
  }

  addEventListener('offline', () => note(false));
  addEventListener('online', () => void ask());
  return {
    note,
    isReached: () => state.isReached,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether the server answers, for components. */
export function useIsReached(reachability: Reachability): boolean {
  return useSyncExternalStore(reachability.watch, reachability.isReached);
}
