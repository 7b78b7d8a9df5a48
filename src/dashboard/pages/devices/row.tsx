// A device in the table, and what can be done with it.
import { ActionIcon, Checkbox, Menu, Modal } from '@mantine/core';
import { IconDeviceMobile, IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import type { Device } from '../../../devices/schema.ts';
import type { Connection } from '../../../stores/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { RegisterDialog } from '../../components/apple-register.tsx';
import {
  AppleStateBadge,
  appleStateOf,
  RefusalText,
  registrationOf,
  takesPlace,
} from '../../components/apple-state.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { Initials } from '../../components/initials.tsx';
import { connectionsPath, explainRegistrationError } from '../../components/stores.ts';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
import type { Account } from './account.ts';
import { shortenUdid } from './arrivals.ts';
import { DeviceDetails } from './device-builds.tsx';
import { EditDeviceForm } from './forms.tsx';
import type { Owners } from './owners.ts';

interface RowProps {
  device: Device;
  owners: Owners;
  isManager: boolean;
  account: Account | undefined;
  isSelected: boolean;
  onSelect(isSelected: boolean): void;
}

export function Row({ device, owners, isManager, account, isSelected, onSelect }: RowProps) {
  const texts = useTexts();
  const t = texts.devices;
  const system = device.os_version === null ? '' : ` · ${t.osBuild(device.os_version)}`;
  const owner = owners.nameOf(device.developer_id);
  const isSelectable = account !== undefined && takesPlace(device, account.connection.identifier);
  return (
    <tr>
      <td>
        <div className="tw-cell">
          {account !== undefined && (
            <Checkbox
              className="tw-row-select"
              aria-label={texts.stores.devices.select(device.name)}
              checked={isSelected && isSelectable}
              disabled={!isSelectable}
              onChange={(event) => onSelect(event.currentTarget.checked)}
            />
          )}
          <span className="tw-tone">
            <IconDeviceMobile size={16} stroke={1.75} aria-hidden />
          </span>
          <div>
            <span className="tw-strong">{device.name}</span>
            <div className="tw-small">
              {device.model ?? t.unknownModel}
              {system}
            </div>
          </div>
        </div>
      </td>
      <td data-label={t.owner}>
        {device.developer_id === null ? (
          <span className="tw-small">{owner}</span>
        ) : (
          <span className="tw-author">
            <Initials id={device.developer_id} name={owner} />
            <span>{owner}</span>
          </span>
        )}
      </td>
      <td data-label={t.udidShort}>
        <span className="tw-copyable">
          <code>{shortenUdid(device.udid)}</code>
          {!device.udid.startsWith('…') && <CopyButton text={device.udid} what={t.copyUdid(device.name)} />}
        </span>
      </td>
      <td data-label={t.registered}>
        <div>
          <RelativeTime at={device.registered_at} />
          {device.enrolled_at === null && <div className="tw-small">{t.enteredManually}</div>}
        </div>
      </td>
      {account !== undefined && (
        <td data-label={texts.stores.devices.column}>
          <AppleCell device={device} account={account} />
        </td>
      )}
      <td className="tw-records-end">
        <RowMenu device={device} isManager={isManager} account={account} />
      </td>
    </tr>
  );
}

function AppleCell({ device, account }: { device: Device; account: Account }) {
  const registration = registrationOf(device, account.connection.identifier);
  const message = registration?.state === 'refused' ? registration.message : null;
  return (
    <div>
      <AppleStateBadge state={registration?.state ?? 'none'} />
      {message !== null && (
        <div className="tw-small tw-apple-message">
          <RefusalText message={message} />
        </div>
      )}
    </div>
  );
}

interface MenuProps {
  device: Device;
  isManager: boolean;
  account: Account | undefined;
}

function RowMenu({ device, isManager, account }: MenuProps) {
  const texts = useTexts();
  const t = texts.devices;
  const a = texts.stores.devices;
  const connection = account?.connection;
  const [dialog, setDialog] = useState<'builds' | 'edit' | 'remove' | 'register'>();
  const close = () => setDialog(undefined);
  const remove = useChange((api) => api.send('DELETE', `/devices/${device.identifier}`), ['/devices', '/builds']);
  // Registering it again would take a place if Apple no longer had it. Reading the used places saves the states of all devices.
  const read = useChange(
    async (api, connectionId: string) => {
      await api.send('GET', `${connectionsPath}/${connectionId}/device-quota`, { query: { fresh: true } });
      return api.send<Device>('GET', `/devices/${device.identifier}`);
    },
    ['/devices', '/builds', `${connectionsPath}/`],
  );
  const readState = ({ identifier }: Connection) =>
    read.mutate(identifier, {
      onSuccess: (answer) => showSuccess(a.refreshed(device.name, a.states[appleStateOf(answer, identifier)])),
    });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.menu(device.name)}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('builds')}>{account === undefined ? t.builds.open : a.show}</Menu.Item>
          {connection !== undefined &&
            (takesPlace(device, connection.identifier) ? (
              <Menu.Item onClick={() => setDialog('register')}>{a.register}</Menu.Item>
            ) : (
              <Menu.Item onClick={() => readState(connection)}>{a.refresh}</Menu.Item>
            ))}
          {isManager && (
            <>
              <Menu.Item onClick={() => setDialog('edit')}>{t.edit}</Menu.Item>
              <Menu.Divider />
              <Menu.Item color="red" onClick={() => setDialog('remove')}>
                {texts.common.remove}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={dialog === 'builds'}
        onClose={close}
        title={account === undefined ? t.builds.titleOf(device.name) : device.name}
        centered
      >
        {dialog === 'builds' && <DeviceDetails device={device} />}
      </Modal>
      <Modal opened={read.error !== null} onClose={read.reset} title={a.refresh} centered>
        <ErrorAlert error={explainRegistrationError(read.error, texts)} />
      </Modal>
      {account !== undefined && (
        <RegisterDialog
          devices={[device]}
          connections={account.connections}
          connectionId={account.connection.identifier}
          isOpen={dialog === 'register'}
          onClose={close}
        />
      )}
      <Modal opened={dialog === 'edit'} onClose={close} title={t.editTitle(device.name)} centered>
        {dialog === 'edit' && <EditDeviceForm device={device} onDone={close} />}
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        title={t.removeTitle(device.name)}
        action={texts.common.remove}
        onClose={close}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.removed(device.name));
        }}
      >
        {t.removeEffect}
      </ConfirmDialog>
    </>
  );
}
