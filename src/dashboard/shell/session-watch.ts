// Tells the app that its session has ended while it was open.
import { useSyncExternalStore } from 'react';

export interface SessionWatch {
  end(): void;
  /** Somebody signed in again. */
  begin(): void;
  hasEnded(): boolean;
  watch(listener: () => void): () => void;
}

/** A watch; the client reports the end. */
export function createSessionWatch(): SessionWatch {
  const listeners = new Set<() => void>();
  let ended = false;
  const set = (value: boolean) => {
    if (ended === value) return;
    ended = value;
    for (const listener of listeners) listener();
  };
  return {
    end: () => set(true),
    begin: () => set(false),
    hasEnded: () => ended,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether the session has ended, for components. */
export function useHasEnded(watch: SessionWatch): boolean {
  return useSyncExternalStore(watch.watch, watch.hasEnded);
}
