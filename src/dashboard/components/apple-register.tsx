// Registers devices with Apple, after saying that it takes places and how many are left.
import { Alert, Button, Group, Modal, NativeSelect, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../../devices/schema.ts';
import type { Connection, DeviceQuota } from '../../stores/schema.ts';
import { invalidate, useApi } from '../api/hooks.ts';
import { useTexts } from '../texts/locale.ts';
import { takesPlace } from './apple-state.tsx';
import { ErrorAlert } from './errors.tsx';
import {
  classOfProduct,
  connectionsPath,
  explainRegistrationError,
  explainStoreError,
  isNearlyFull,
  useDeviceQuota,
} from './stores.ts';
import { showSuccess } from './toasts.ts';

/** Most devices in one request. */
const MAX_AT_ONCE = 1_000;

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
export function RegisterDialog(props: RegisterProps) {
  const t = useTexts().stores.devices;
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={t.registerTitle(props.devices.length, props.devices[0]?.name ?? '')}
      centered
    >
      {props.isOpen && props.devices.length > 0 && <RegisterBody {...props} />}
    </Modal>
  );
}

function RegisterBody({ devices, connections, connectionId: initial, onClose, onDone }: RegisterProps) {
  const texts = useTexts();
  const t = texts.stores.devices;
  const api = useApi();
  const queries = useQueryClient();
  const [connectionId, setConnectionId] = useState(initial);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const wanted = devices.filter((device) => takesPlace(device, connectionId));

  async function register(): Promise<void> {
    const [only] = wanted;
    if (only === undefined) return;
    setSending(true);
    setError(undefined);
    try {
      if (wanted.length === 1) {
        await api.send('POST', `/devices/${only.identifier}/register`, { body: { store_connection_id: connectionId } });
        showSuccess(t.registered(only.name));
      } else {
        // In the background, because Apple takes a second for each.
        const path = `${connectionsPath}/${connectionId}/register-devices`;
        const ids = wanted.map(({ identifier }) => identifier);
        let total = 0;
        for (let start = 0; start < ids.length; start += MAX_AT_ONCE) {
          const body = { device_ids: ids.slice(start, start + MAX_AT_ONCE) };
          total += (await api.send<{ queued: number }>('POST', path, { body })).queued;
        }
        showSuccess(texts.stores.automatic.queued(total));
      }
      await invalidate(queries, '/devices', '/builds', '/channels', connectionsPath);
      onDone?.();
      onClose();
    } catch (failure) {
      // A refusal is shown with the device, too.
      await invalidate(queries, '/devices', '/builds', connectionsPath);
      setError(failure);
      setSending(false);
    }
  }

  return (
    <div className="tw-form">
      {connections.length > 1 && (
        <NativeSelect
          label={t.connection}
          value={connectionId}
          disabled={isSending}
          data={connections.map(({ identifier, name }) => ({ value: identifier, label: name }))}
          onChange={(event) => setConnectionId(event.currentTarget.value)}
        />
      )}
      {wanted.length < devices.length && <Text size="sm">{t.alreadyRegistered(devices.length - wanted.length)}</Text>}
      {wanted.length > 0 && <Text size="sm">{t.effect(wanted.length)}</Text>}
      <Places devices={wanted} connectionId={connectionId} />
      {error !== undefined && <ErrorAlert error={explainRegistrationError(error, texts)} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {texts.common.cancel}
        </Button>
        <Button loading={isSending} disabled={wanted.length === 0} onClick={() => void register()}>
          {error === undefined ? t.register : texts.errors.tryAgain}
        </Button>
      </Group>
    </div>
  );
}

/** The places that are left in the classes of the devices; in the usual ones if a class isn't known. */
function Places({ devices, connectionId }: { devices: readonly Device[]; connectionId: string }) {
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
  const counts = new Map<string, number>();
  for (const { product } of devices) {
    const known = classOfProduct(product);
    for (const name of known === undefined ? ['IPHONE', 'IPAD'] : [known]) {
      counts.set(name, (counts.get(name) ?? 0) + (known === undefined ? 0 : 1));
    }
  }
  return counts;
}
