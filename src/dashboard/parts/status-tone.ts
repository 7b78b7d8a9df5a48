// The color of a build's state.
import type { Build } from '../../builds/schema.ts';
import type { DeviceCount } from '../../compatibility/status-line.ts';

export type StatusTone = 'ok' | 'warn' | 'bad';

/** The share of devices from which a build counts as installable. */
const ENOUGH = 0.95;

/**
 * Returns the color: green if at least 95% of the registered devices can install the build, red if none can. Without
 * known devices only the package decides.
 */
export function statusTone(
  { installability: { status } }: Pick<Build, 'installability'>,
  count?: DeviceCount,
): StatusTone {
  if (status === 'uninstallable') return 'bad';
  if (count !== undefined && count.devices_total > 0) {
    if (count.devices_able === 0) return 'bad';
    return count.devices_able / count.devices_total >= ENOUGH ? 'ok' : 'warn';
  }
  return status === 'unknown' ? 'warn' : 'ok';
}
