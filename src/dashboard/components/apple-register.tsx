// Registers devices with Apple, after saying that it takes places and how many are left.
import { Alert, NativeSelect, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Device } from '../../devices/schema.ts';
import { classOfProduct } from '../../lib/apple-device-classes.ts';
import type { Connection, DeviceQuota } from '../../stores/schema.ts';
import { invalidate, useApi } from '../api/hooks.ts';
import { useTexts } from '../texts/locale.ts';
import { takesPlace } from './apple-state.tsx';
import { ConfirmDialog } from './confirm.tsx';
import { ErrorAlert } from './errors.tsx';
import {
  connectionsPath,
  explainRegistrationError,
  explainStoreError,
  isNearlyFull,
  useDeviceQuota,
} from './stores.ts';
import { showSuccess } from './toasts.ts';

/** Most devices in one request. */
const MAX_AT_ONCE = 1_000;

const usualClasses = ['IPHONE', 'IPAD'];

interface RegisterProps {
  devices: readonly Device[];
  /** Connections to App Store Connect, at least one. */
  connections: readonly Connection[];
  /** The account that is chosen at first. */
  connectionId: string;
  isOpen: boolean;
  onClose(): void;
  onDone?(): void;
}

/** Renders the dialog. */
export function RegisterDialog({
  devices,
  connections,
  connectionId: initial,
  isOpen,
  onClose,
  onDone,
}: RegisterProps) {
  const texts = useTexts();
  const t = texts.stores.devices;
  const api = useApi();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string>();
  const connectionId = chosen ?? initial;
  // The title stays while the dialog closes, when registered devices are no longer selected.
  const named = useRef(devices);
  if (devices.length > 0) named.current = devices;
  const wanted = devices.filter((device) => takesPlace(device, connectionId));

  /** Registers one device, or several in the background, because Apple takes a second for each. Returns what happened. */
  async function register(): Promise<string> {
    const [only] = wanted;
    if (wanted.length === 1 && only !== undefined) {
      await api.send('POST', `/devices/${only.identifier}/register`, { body: { store_connection_id: connectionId } });
      return t.registered(only.name);
    }
    const path = `${connectionsPath}/${connectionId}/register-devices`;
    const ids = wanted.map(({ identifier }) => identifier);
    let total = 0;
    for (let start = 0; start < ids.length; start += MAX_AT_ONCE) {
      const body = { device_ids: ids.slice(start, start + MAX_AT_ONCE) };
      total += (await api.send<{ queued: number }>('POST', path, { body })).queued;
    }
    return texts.stores.automatic.queued(total);
  }

  async function confirm(): Promise<void> {
    try {
      showSuccess(await register());
    } catch (error) {
      throw explainRegistrationError(error, texts);
    } finally {
      // A refusal is shown with the device, too.
      // Connections first: they tell whether devices are still pending, so the devices must not be older.
      await invalidate(queries, connectionsPath);
      await invalidate(queries, '/devices', '/builds', '/channels');
    }
    onDone?.();
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t.registerTitle(named.current.length, named.current[0]?.name ?? '')}
      action={t.register}
      isHarmless
      isReady={wanted.length > 0}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className="tw-form">
        {connections.length > 1 && (
          <NativeSelect
            label={t.connection}
            value={connectionId}
            data={connections.map(({ identifier, name }) => ({ value: identifier, label: name }))}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        )}
        {wanted.length < devices.length && <Text size="sm">{t.alreadyRegistered(devices.length - wanted.length)}</Text>}
        {wanted.length > 0 && (
          <>
            <Text size="sm">{t.effect(wanted.length)}</Text>
            <Places devices={wanted} connectionId={connectionId} />
          </>
        )}
      </div>
    </ConfirmDialog>
  );
}

/** The places that are left in the classes of the devices; in the usual ones if a class or the devices aren't known. */
export function Places({ devices, connectionId }: { devices: readonly Device[]; connectionId: string }) {
  const texts = useTexts();
  const t = texts.stores.devices;
  const quota = useDeviceQuota(connectionId);
  if (quota.error !== null && quota.data === undefined) {
    return <ErrorAlert error={explainStoreError(quota.error, texts)} onRetry={() => void quota.refetch()} />;
  }
  if (quota.data === undefined) return <Skeleton height={20} />;
  const wanted = countClasses(devices);
  const shown = quota.data.classes.filter(({ device_class: name }) => wanted.has(name));
  const isShort = shown.some((row) => row.left < (wanted.get(row.device_class) ?? 0));
  return (
    <>
      <ul className="tw-places">
        {shown.map((row) => (
          <Place key={row.device_class} row={row} />
        ))}
      </ul>
      {isShort && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />}>
          {t.notEnough}
        </Alert>
      )}
    </>
  );
}

function Place({ row }: { row: DeviceQuota['classes'][number] }) {
  const t = useTexts().stores.devices;
  return <li data-tone={isNearlyFull(row) ? 'warn' : undefined}>{t.left(row.device_class, row.left, row.limit)}</li>;
}

/** Counts the devices by class. A device that was entered manually has no known class and counts as none. */
function countClasses(devices: readonly Device[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>(devices.length === 0 ? usualClasses.map((name) => [name, 0]) : []);
  for (const { product } of devices) {
    const known = classOfProduct(product);
    for (const name of known === undefined ? usualClasses : [known]) {
      counts.set(name, (counts.get(name) ?? 0) + (known === undefined ? 0 : 1));
    }
  }
  return counts;
}
