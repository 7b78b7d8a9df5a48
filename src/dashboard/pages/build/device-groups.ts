// The devices of an organization in groups: those that can install a build, and the others by reason.
import type { BuildDevice } from '../../../builds/device-schema.ts';
import { buildReasons } from '../../../compatibility/reasons.ts';
import { type AppleState, appleStateOf } from '../../components/apple-state.tsx';

type Reason = BuildDevice['install']['reason'];

/** `waiting`: registered after the build was uploaded, so that the next build can include the device. */
export type GroupName = 'waiting' | AppleGroupName | Reason;

/** Devices that the profile doesn't include, by their state with Apple, for organizations that are connected to Apple. */
export type AppleGroupName = 'apple_registered' | 'apple_processing' | 'apple_disabled' | 'apple_missing';

export interface DeviceGroup {
  name: GroupName;
  rows: BuildDevice[];
}

/** Groups that people can do something about come first. */
const order: readonly GroupName[] = [
  'apple_registered',
  'apple_missing',
  'apple_processing',
  'apple_disabled',
  'waiting',
  'not_provisioned',
  'os_too_old',
  'device_family',
  'unknown_device',
];

const ofBuild: ReadonlySet<GroupName> = new Set(buildReasons);

/** Returns whether the reason is the build itself, so that naming each device says nothing. */
export function concernsAllDevices(name: GroupName): boolean {
  return ofBuild.has(name);
}

const appleGroups: Record<AppleState, AppleGroupName> = {
  registered: 'apple_registered',
  processing: 'apple_processing',
  disabled: 'apple_disabled',
  refused: 'apple_missing',
  none: 'apple_missing',
};

/** Returns whether the devices of a group only need a profile that includes them. */
export function needsProfile(name: string): boolean {
  return name === 'waiting' || name === 'not_provisioned' || name.startsWith('apple_');
}

/**
 * Divides the devices. `uploadedAt` is when the build was uploaded. With `isConnected`, those that the profile doesn't
 * include are divided by their state with Apple.
 */
export function groupDevices(
  rows: readonly BuildDevice[],
  uploadedAt: string,
  isConnected = false,
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
    const isNew = Date.parse(row.device.registered_at) > uploaded;
    const name =
      reason !== 'not_provisioned'
        ? reason
        : isConnected
          ? appleGroups[appleStateOf(row.device)]
          : isNew
            ? 'waiting'
            : reason;
    byName.set(name, [...(byName.get(name) ?? []), row]);
  }
  const rank = ({ name }: DeviceGroup) => {
    const index = order.indexOf(name);
    return index === -1 ? order.length : index;
  };
  const groups = [...byName].map(([name, members]) => ({ name, rows: members }));
  return { able, groups: groups.toSorted((one, other) => rank(one) - rank(other)) };
}
