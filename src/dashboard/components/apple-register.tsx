// Registers devices with Apple, after saying that it takes places and how many are left.
import { Alert, Button, Group, Modal, NativeSelect, Progress, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../../devices/schema.ts';
import type { Connection, DeviceQuota } from '../../stores/schema.ts';
import { ApiError } from '../api/errors.ts';
import { invalidate, useApi } from '../api/hooks.ts';
import { useTexts } from '../texts/locale.ts';
import { takesPlace } from './apple-state.tsx';
import { describeError, ErrorAlert } from './errors.tsx';
import {
  classOfProduct,
  connectionsPath,
  explainRegistrationError,
  explainStoreError,
  isNearlyFull,
  useDeviceQuota,
} from './stores.ts';
import { showSuccess } from './toasts.ts';

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

interface Failed {
  device: Device;
  error: unknown;
}

function RegisterBody({ devices, connections, connectionId: initial, onClose, onDone }: RegisterProps) {
  const texts = useTexts();
  const t = texts.stores.devices;
  const api = useApi();
  const queries = useQueryClient();
  const [connectionId, setConnectionId] = useState(initial);
  const [done, setDone] = useState<number>();
  const [failed, setFailed] = useState<Failed[]>([]);
  const [stopped, setStopped] = useState<unknown>();
  const wanted = devices.filter((device) => takesPlace(device, connectionId));
  const isBusy = done !== undefined;

  async function register(): Promise<void> {
    const problems: Failed[] = [];
    let end: unknown;
    setFailed([]);
    setStopped(undefined);
    for (const [index, device] of wanted.entries()) {
      setDone(index);
      try {
        const body = { store_connection_id: connectionId };
        await api.send('POST', `/devices/${device.identifier}/register`, { body });
      } catch (error) {
        // Only what concerns this device alone lets the others continue.
        if (!(error instanceof ApiError && error.status === 400)) {
          end = error;
          break;
        }
        problems.push({ device, error });
      }
    }
    await invalidate(queries, '/devices', '/builds', connectionsPath);
    setDone(undefined);
    setFailed(problems);
    setStopped(end);
    if (end !== undefined || problems.length > 0) return;
    showSuccess(t.registered(wanted.length, wanted[0]?.name ?? ''));
    onDone?.();
    onClose();
  }

  return (
    <div className="tw-form">
      {connections.length > 1 && (
        <NativeSelect
          label={t.connection}
          value={connectionId}
          disabled={isBusy}
          data={connections.map(({ identifier, name }) => ({ value: identifier, label: name }))}
          onChange={(event) => setConnectionId(event.currentTarget.value)}
        />
      )}
      {wanted.length < devices.length && <Text size="sm">{t.alreadyRegistered(devices.length - wanted.length)}</Text>}
      {wanted.length > 0 && <Text size="sm">{t.effect(wanted.length)}</Text>}
      <Places devices={wanted} connectionId={connectionId} />
      {isBusy && wanted.length > 1 && (
        <>
          <Progress value={(100 * done) / wanted.length} aria-hidden />
          <Text size="sm" role="status">
            {t.progress(done, wanted.length)}
          </Text>
        </>
      )}
      {failed.length > 0 && <Failures failed={failed} />}
      {stopped !== undefined && <ErrorAlert error={explainStoreError(stopped, texts)} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {failed.length > 0 ? texts.common.close : texts.common.cancel}
        </Button>
        <Button loading={isBusy} disabled={wanted.length === 0} onClick={() => void register()}>
          {failed.length > 0 || stopped !== undefined ? texts.errors.tryAgain : t.register}
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

function Failures({ failed }: { failed: readonly Failed[] }) {
  const texts = useTexts();
  const t = texts.stores.devices;
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t.failed(failed.length)} role="alert">
      <ul className="tw-bare-list">
        {failed.map(({ device, error }) => {
          const { title, text } = describeError(explainRegistrationError(error, texts), texts);
          return (
            <li key={device.identifier}>
              <b>{device.name}</b>: {title}. {text}
            </li>
          );
        })}
      </ul>
    </Alert>
  );
}
