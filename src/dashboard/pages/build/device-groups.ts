// The devices of an organization in groups: those that can install a build, and the others by reason.
import type { BuildDevice } from '../../../builds/device-schema.ts';
import { buildReasons } from '../../../compatibility/reasons.ts';

type Reason = BuildDevice['install']['reason'];

/** `waiting`: registered after the build was uploaded, so that the next build can include the device. */
export type GroupName = 'waiting' | Reason;

export interface DeviceGroup {
  name: GroupName;
  rows: BuildDevice[];
}

/** Groups that people can do something about come first. */
const order: readonly GroupName[] = ['waiting', 'not_provisioned', 'os_too_old', 'device_family', 'unknown_device'];

const ofBuild: ReadonlySet<GroupName> = new Set(buildReasons);

/** Returns whether the reason is the build itself, so that naming each device says nothing. */
export function concernsAllDevices(name: GroupName): boolean {
  return ofBuild.has(name);
}

/** Divides the devices. `uploadedAt` is when the build was uploaded. */
export function groupDevices(
  rows: readonly BuildDevice[],
  uploadedAt: string,
): { able: BuildDevice[]; groups: DeviceGroup[] } {
  const uploaded = Date.parse(uploadedAt);
  const able: BuildDevice[] = [];
  const byName = new Map<GroupName, BuildDevice[]>();
  for (const row of rows) {
    const { verdict, reason } = row.install;
    if (verdict === 'yes') {
      able.push(row);
      continue;
    }
    const isNew = reason === 'not_provisioned' && Date.parse(row.device.registered_at) > uploaded;
    const name = isNew ? 'waiting' : reason;
    byName.set(name, [...(byName.get(name) ?? []), row]);
  }
  const rank = ({ name }: DeviceGroup) => {
    const index = order.indexOf(name);
    return index === -1 ? order.length : index;
  };
  const groups = [...byName].map(([name, members]) => ({ name, rows: members }));
  return { able, groups: groups.toSorted((one, other) => rank(one) - rank(other)) };
}
