// The color of a build's state.
import type { Build } from '../../builds/schema.ts';
import type { DeviceCount } from '../../compatibility/status-line.ts';

export type StatusTone = 'ok' | 'warn' | 'bad' | 'pending';

/** The share of devices from which a build counts as installable. */
const ENOUGH = 0.95;

/**
 * Returns the color: green if at least 95% of the registered devices can install the build, red if none can. Without
 * known devices only the package decides. `pending` while the count of an iOS build is loading.
 */
export function statusTone(
  { installability: { status, reason } }: Pick<Build, 'installability'>,
  count?: DeviceCount,
): StatusTone {
  if (status === 'uninstallable') return 'bad';
  if (status === 'unknown') return 'warn';
  if (count === undefined) return reason === 'provisioned' ? 'pending' : 'ok';
  if (count.devices_total === 0) return 'ok';
  if (count.devices_able === 0) return 'bad';
  return count.devices_able / count.devices_total >= ENOUGH ? 'ok' : 'warn';
}
