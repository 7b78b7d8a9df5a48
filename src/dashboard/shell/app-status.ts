// Connection and session status, for components that react to them.
import { createContext, useContext } from 'react';
import type { Reachability } from './reachability.ts';
import type { SessionStatus } from './session-status.ts';

export interface AppStatus {
  reachability: Reachability;
  session: SessionStatus;
}

export const AppStatusContext = createContext<AppStatus | undefined>(undefined);

/** Returns the status. */
export function useAppStatus(): AppStatus {
  const watches = useContext(AppStatusContext);
  if (watches === undefined) throw new Error('Nothing is watched around this component');
  return watches;
}
