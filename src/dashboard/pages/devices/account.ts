// The Apple developer account whose states the table of devices shows.
import { useState } from 'react';
import type { Connection } from '../../../stores/schema.ts';
import { useAppleConnections } from '../../components/stores.ts';

/** The Apple developer account whose states are shown. */
export interface Account {
  connection: Connection;
  /** All accounts of the organization. */
  connections: readonly Connection[];
}

/** Returns the account whose states are shown; undefined without any, and for people who may not see them. */
export function useAccount(isManager: boolean) {
  const connections = useAppleConnections();
  const [chosen, setChosen] = useState<string>();
  const connection = connections.find(({ identifier }) => identifier === chosen) ?? connections[0];
  const account: Account | undefined = isManager && connection !== undefined ? { connection, connections } : undefined;
  return { account, setChosen };
}
