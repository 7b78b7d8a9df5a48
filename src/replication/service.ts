// The state of replication for the operator.
import type { App } from '../core/context.ts';
import { measureLog } from '../data/log-size.ts';
import type { ReplicationState } from './schema.ts';
import { replicationWatchOf } from './watch.ts';

/** Returns the state of replication, or null if it's off. */
export function describeReplication(app: App): ReplicationState | null {
  const state = replicationWatchOf(app).state();
  if (state === undefined) return null;
  return {
    target: app.config.replication.target,
    is_running: state.isRunning,
    lag_seconds: state.lagMs / 1000,
    log_bytes: measureLog(app.db.$client),
  };
}
