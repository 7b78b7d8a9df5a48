// The devices of the organization that can install an iOS build, and why others can't.
import { Button, Skeleton } from '@mantine/core';
import { IconDeviceMobile, IconDevicesPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useState } from 'react';
import type { BuildDevice } from '../../../builds/device-schema.ts';
import type { Build } from '../../../builds/schema.ts';
import type { Device } from '../../../devices/schema.ts';
import type { Connection } from '../../../stores/schema.ts';
import { useReadAll } from '../../api/hooks.ts';
import { RegisterDialog } from '../../components/apple-register.tsx';
import { ExportButton } from '../../components/device-export.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { Initials } from '../../components/initials.tsx';
import { RebuildAlert, useRebuilds } from '../../components/rebuilds.tsx';
import { useAppleConnections, useStoreConnections } from '../../components/stores.ts';
import { RelativeTime } from '../../components/time.tsx';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { shortenUdid } from '../devices/arrivals.ts';
import { EnrollDialog } from '../devices/enroll.tsx';
import { type Owners, useOwners } from '../devices/owners.ts';
import {
  type AppleGroupName,
  concernsAllDevices,
  type DeviceGroup,
  type GroupName,
  groupDevices,
  needsProfile,
} from './device-groups.ts';

/** How many devices of a group are shown before it is unfolded. */
const SHOWN = 4;

export function BuildDevices({ build }: { build: Build }) {
  const texts = useTexts();
  const t = texts.devices.build;
  const list = useReadAll<BuildDevice>(`/builds/${build.identifier}/devices`);
  const [isRegistering, setRegistering] = useState(false);
  const { data: rows } = list;
  const connections = useStoreConnections();
  const isLoading = rows === undefined || connections.isLoading;
  return (
    <section aria-labelledby="build-devices">
      <div className="tw-part-head">
        <h2 id="build-devices" className="tw-part-title">
          {texts.devices.title}
        </h2>
        <Button variant="default" size="xs" onClick={() => setRegistering(true)}>
          {t.register}
        </Button>
      </div>
      {isLoading && list.error === null && <DevicesSkeleton />}
      {list.error !== null && <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />}
      <BuildRebuild build={build} />
      {rows?.length === 0 && (
        <p className="tw-aside-empty">
          <IconDevicesPlus size={20} stroke={1.5} aria-hidden />
          {t.none}
        </p>
      )}
      {!isLoading && rows !== undefined && rows.length > 0 && <Judged build={build} rows={rows} />}
      <EnrollDialog isOpen={isRegistering} onClose={() => setRegistering(false)} />
    </section>
  );
}

/**
 * Says that a rebuild would include more devices, if the build is the current one of a channel. People who see the state of each
 * device with Apple have it with the groups.
 */
function BuildRebuild({ build }: { build: Build }) {
  const isConnected = useAppleConnections().length > 0;
  const { data: rows } = useRebuilds(build.project_id);
  const found = rows?.find(({ build_id: id }) => id === build.identifier);
  return found === undefined || isConnected ? null : <RebuildAlert rebuild={found} />;
}

function DevicesSkeleton() {
  const t = useTexts().common;
  return (
    <div className="tw-aside-loading" aria-busy="true">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      <Skeleton height={32} width={200} />
      <Skeleton height={6} />
      <Skeleton height={16} width={240} />
    </div>
  );
}

function Judged({ build, rows }: { build: Build; rows: readonly BuildDevice[] }) {
  const texts = useTexts();
  const t = texts.devices.build;
  const owners = useOwners();
  const connections = useAppleConnections();
  const { able, groups } = groupDevices(rows, build.uploaded_at, connections.length > 0);
  const waiting = groups.filter(({ name }) => needsProfile(name)).reduce((sum, group) => sum + group.rows.length, 0);
  const cannot = rows.length - able.length - waiting;
  // One export contains all devices, so the second group of the profile has no button of its own.
  const exportable = groups.find(({ name }) => needsProfile(name));
  const parts = [
    ['able', able.length],
    ['waiting', waiting],
    ['cannot', cannot],
  ] as const;
  return (
    <>
      <p className="tw-devices-figure">
        {able.length} <small>{t.able(able.length, rows.length)}</small>
      </p>
      <div className="tw-stack-bar" aria-hidden>
        {parts.map(
          ([name, part]) => part > 0 && <i key={name} data-part={name} style={{ '--part': part } as CSSProperties} />,
        )}
      </div>
      <p className="tw-stack-key">
        {parts.map(
          ([name, part]) =>
            (part > 0 || name === 'able') && (
              <span key={name} data-part={name}>
                <b>{part}</b> {t.key[name]}
              </span>
            ),
        )}
      </p>
      {groups.map((group) => (
        <Group
          key={group.name}
          group={group}
          isExportable={group === exportable}
          owners={owners}
          connections={connections}
        />
      ))}
      {able.length > 0 && (
        <details className="tw-device-fold">
          <summary>
            {t.groups.able} <span>{able.length}</span>
          </summary>
          <DeviceRows name="able" rows={able} owners={owners} />
        </details>
      )}
      <Link to="/devices" className="tw-text-link tw-aside-end">
        {rows.length > 1 ? t.all(rows.length) : texts.devices.title}
      </Link>
    </>
  );
}

function titleOf(name: GroupName, groups: Record<string, string>): string {
  return groups[name] ?? groups.other ?? name;
}

interface GroupProps {
  group: DeviceGroup;
  /** Whether the group offers the export for Apple. */
  isExportable: boolean;
  owners: Owners;
  /** The connections to App Store Connect. */
  connections: readonly Connection[];
}

function Group({ group: { name, rows }, isExportable, owners, connections }: GroupProps) {
  const texts = useTexts();
  const t = texts.devices.build;
  const organization = useOrganization();
  const isApple = name in texts.stores.devices.steps;
  const step = isApple
    ? texts.stores.devices.steps[name as AppleGroupName](rows.length)
    : name === 'waiting'
      ? t.steps.waiting(rows.length)
      : name in t.steps
        ? t.steps[name as 'os_too_old']
        : undefined;
  const reason = t.reasons[name as keyof typeof t.reasons];
  return (
    <div className="tw-device-group">
      <h3>
        {titleOf(name, { ...t.groups, ...texts.stores.devices.groups })} <span>{rows.length}</span>
      </h3>
      {concernsAllDevices(name) ? (
        <p>{reason}</p>
      ) : (
        <>
          <DeviceRows name={name} rows={rows} owners={owners} />
          <div className="tw-next-step" data-wait={isExportable || undefined}>
            <p>{step ?? reason}</p>
            {name === 'apple_missing' && (
              <RegisterGroup devices={rows.map(({ device }) => device)} connections={connections} />
            )}
            {isExportable && !isApple && mayInOrganization(organization, 'device.export') && <ExportButton size="xs" />}
          </div>
        </>
      )}
    </div>
  );
}

interface RegisterGroupProps {
  devices: readonly Device[];
  connections: readonly Connection[];
}

/** Registers all devices of a group with Apple. */
function RegisterGroup({ devices, connections }: RegisterGroupProps) {
  const t = useTexts().stores.devices;
  const [isOpen, setOpen] = useState(false);
  const [first] = connections;
  if (first === undefined) return null;
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {t.register}
      </Button>
      <RegisterDialog
        devices={devices}
        connections={connections}
        connectionId={first.identifier}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

interface RowsProps {
  name: GroupName | 'able';
  rows: readonly BuildDevice[];
  owners: Owners;
}

function DeviceRows({ name, rows, owners }: RowsProps) {
  const t = useTexts().devices.build;
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen || rows.length <= SHOWN + 1 ? rows : rows.slice(0, SHOWN);
  return (
    <>
      <ul className="tw-part-lines">
        {shown.map((row) => (
          <DeviceRow key={row.device.identifier} name={name} row={row} owners={owners} />
        ))}
      </ul>
      {shown.length < rows.length && (
        <button type="button" className="tw-text-link" onClick={() => setOpen(true)}>
          {t.showOthers(rows.length - shown.length)}
        </button>
      )}
    </>
  );
}

interface RowProps {
  name: GroupName | 'able';
  row: BuildDevice;
  owners: Owners;
}

function DeviceRow({ name, row: { device, install }, owners }: RowProps) {
  const t = useTexts().devices.build;
  const { developer_id: ownerId } = device;
  const owner = ownerId === null ? undefined : owners.nameOf(ownerId);
  return (
    <li>
      {ownerId !== null && owner !== undefined ? (
        <Initials id={ownerId} name={owner} />
      ) : (
        <span className="tw-uploader-icon" aria-hidden>
          <IconDeviceMobile size={12} stroke={1.75} />
        </span>
      )}
      <span className="tw-two-lines">
        <b>{device.name}</b>
        <small>
          {[owner, device.model].filter((part) => typeof part === 'string').join(' · ') || shortenUdid(device.udid)}
        </small>
      </span>
      {name === 'os_too_old' && install.needed_system !== null && (
        <small className="tw-line-end">{t.requiresSystem(install.needed_system)}</small>
      )}
      {(name === 'waiting' || name === 'apple_registered') && (
        <small className="tw-line-end">
          <span className="tw-offscreen">{t.registered} </span>
          <RelativeTime at={device.registered_at} />
        </small>
      )}
    </li>
  );
}
