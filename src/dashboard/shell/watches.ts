// What the app watches all the time, for components that react to it.
import { createContext, useContext } from 'react';
import type { Reachability } from './reachability.ts';
import type { SessionWatch } from './session-watch.ts';

export interface WatchesValue {
  reachability: Reachability;
  session: SessionWatch;
}

export const Watches = createContext<WatchesValue | undefined>(undefined);

/** The watches. */
export function useWatches(): WatchesValue {
  const watches = useContext(Watches);
  if (watches === undefined) throw new Error('Nothing is watched around this component');
  return watches;
}
