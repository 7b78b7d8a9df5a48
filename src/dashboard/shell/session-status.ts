// Whether the session has expired while the app is open.
import { useSyncExternalStore } from 'react';

export interface SessionStatus {
  markExpired(): void;
  /** The user signed in again. */
  markActive(): void;
  isExpired(): boolean;
  subscribe(listener: () => void): () => void;
}

/** Creates the status. The API client reports the expiry. */
export function createSessionStatus(): SessionStatus {
  const listeners = new Set<() => void>();
  let ended = false;
  const set = (value: boolean) => {
    if (ended === value) return;
    ended = value;
    for (const listener of listeners) listener();
  };
  return {
    markExpired: () => set(true),
    markActive: () => set(false),
    isExpired: () => ended,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns whether the session has expired. */
export function useIsSessionExpired(watch: SessionStatus): boolean {
  return useSyncExternalStore(watch.subscribe, watch.isExpired);
}
