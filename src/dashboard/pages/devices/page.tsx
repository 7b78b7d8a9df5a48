// The devices of the organization: registration, list, and export for Apple.
import { ActionIcon, Button, Menu, Modal, Text, TextInput } from '@mantine/core';
import { IconDeviceMobile, IconDots, IconPlus, IconQrcode, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { Device } from '../../../devices/schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { ExportButton } from '../../components/device-export.tsx';
import { ErrorAlert, ErrorPage } from '../../components/errors.tsx';
import { Initials } from '../../components/initials.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { EmptyState, PageHeader, RowsSkeleton } from '../../components/page.tsx';
import { requestCommand } from '../../components/request-command.ts';
import { TableHead } from '../../components/table-head.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { shortenUdid } from './arrivals.ts';
import { DeviceBuilds } from './device-builds.tsx';
import { EnrollDialog } from './enroll.tsx';
import { EditDeviceForm, NewDeviceForm } from './forms.tsx';
import { type Owners, useOwners } from './owners.ts';

const PAGE = 200;

export function Page() {
  const organization = useOrganization();
  return <DevicesPage key={organization.identifier} />;
}

function DevicesPage() {
  const t = useTexts().devices;
  const organization = useOrganization();
  const { base } = useServerInfo();
  const [dialog, setDialog] = useState<'enroll' | 'new'>();
  const close = () => setDialog(undefined);
  const query = { organization_id: organization.identifier };
  const devices = useReadPages<Device>('/devices', { query: { ...query, limit: PAGE } });
  const isManager = mayInOrganization(organization, 'device.manage');
  const enrollButton = (
    <Button leftSection={<IconQrcode size={16} />} onClick={() => setDialog('enroll')}>
      {t.add}
    </Button>
  );
  const isEmpty = devices.rows?.length === 0;
  const enrollPath = `/devices/enrollments?organization_id=${organization.identifier}`;
  return (
    <>
      <PageHeader
        title={t.title}
        beside={
          devices.rows !== undefined &&
          devices.rows.length > 0 && (
            <span className="tw-count">
              {devices.rows.length}
              {devices.hasNextPage && '+'}
            </span>
          )
        }
        hint={t.hint}
        actions={
          <>
            {isManager && !isEmpty && <ExportButton />}
            {isManager && (
              <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setDialog('new')}>
                {t.enterManually}
              </Button>
            )}
            {!isEmpty && enrollButton}
          </>
        }
      />
      {devices.rows === undefined ? (
        devices.error === null ? (
          <RowsSkeleton rows={8} picture={28} hasCaption head={76} />
        ) : (
          <ErrorPage error={devices.error} onRetry={() => void devices.refetch()} />
        )
      ) : isEmpty ? (
        <EmptyState
          drawing="device"
          title={t.emptyTitle}
          text={t.emptyText}
          action={enrollButton}
          command={requestCommand(`${location.origin}${base}`, 'POST', enrollPath, {})}
        />
      ) : (
        <DeviceTable rows={devices.rows} isManager={isManager} />
      )}
      {devices.rows !== undefined && devices.error !== null && (
        <ErrorAlert error={devices.error} onRetry={() => void devices.refetch()} />
      )}
      <LoadMore list={devices} />
      <EnrollDialog isOpen={dialog === 'enroll'} onClose={close} />
      <Modal opened={dialog === 'new'} onClose={close} title={t.enterManually} centered>
        {dialog === 'new' && <NewDeviceForm onDone={close} />}
      </Modal>
    </>
  );
}

function DeviceTable({ rows, isManager }: { rows: readonly Device[]; isManager: boolean }) {
  const t = useTexts().devices;
  const owners = useOwners();
  const [search, setSearch] = useState('');
  const term = search.trim().toLowerCase();
  const found = rows.filter((device) =>
    [device.name, device.model, device.product, device.udid, owners.nameOf(device.developer_id)].some((text) =>
      text?.toLowerCase().includes(term),
    ),
  );
  return (
    <section className="tw-section" aria-label={t.title}>
      <div className="tw-toolbar">
        <TextInput
          className="tw-toolbar-search"
          aria-label={t.search}
          placeholder={t.search}
          type="search"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {found.length === 0 ? (
        <Text size="sm">{t.noMatches}</Text>
      ) : (
        <table className="tw-records" aria-label={t.title}>
          <TableHead titles={[t.name, t.owner, t.udidShort, t.registered]} hasActions />
          <tbody>
            {found.map((device) => (
              <Row key={device.identifier} device={device} owners={owners} isManager={isManager} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ device, owners, isManager }: { device: Device; owners: Owners; isManager: boolean }) {
  const t = useTexts().devices;
  const system = device.os_version === null ? '' : ` · ${t.osBuild(device.os_version)}`;
  const owner = owners.nameOf(device.developer_id);
  return (
    <tr>
      <td>
        <div className="tw-cell">
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
      <td className="tw-records-end">
        <RowMenu device={device} isManager={isManager} />
      </td>
    </tr>
  );
}

function RowMenu({ device, isManager }: { device: Device; isManager: boolean }) {
  const texts = useTexts();
  const t = texts.devices;
  const [dialog, setDialog] = useState<'builds' | 'edit' | 'remove'>();
  const close = () => setDialog(undefined);
  const remove = useChange((api) => api.send('DELETE', `/devices/${device.identifier}`), ['/devices', '/builds']);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.menu(device.name)}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('builds')}>{t.builds.open}</Menu.Item>
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
      <Modal opened={dialog === 'builds'} onClose={close} title={t.builds.titleOf(device.name)} centered>
        {dialog === 'builds' && <DeviceBuilds device={device} />}
      </Modal>
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
