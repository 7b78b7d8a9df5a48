// The devices of the organization: registration, list, and export for Apple.
import { ActionIcon, Button, Checkbox, Menu, Modal, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconDeviceMobile, IconDots, IconPlus, IconQrcode, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { Device } from '../../../devices/schema.ts';
import type { Connection } from '../../../stores/schema.ts';
import { useChange, useReadAll, useReadPages } from '../../api/hooks.ts';
import { RegisterDialog } from '../../components/apple-register.tsx';
import {
  type AppleState,
  AppleStateBadge,
  appleStateOf,
  appleStates,
  RefusalText,
  registrationOf,
  takesPlace,
} from '../../components/apple-state.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { ExportButton } from '../../components/device-export.tsx';
import { ErrorAlert, ErrorPage } from '../../components/errors.tsx';
import { Initials } from '../../components/initials.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { EmptyState, PageHeader, RowsSkeleton } from '../../components/page.tsx';
import { RebuildList } from '../../components/rebuilds.tsx';
import { requestCommand } from '../../components/request-command.ts';
import {
  connectionsPath,
  explainRegistrationError,
  useAppleConnections,
  usePendingRegistrations,
  useStoreConnections,
} from '../../components/stores.ts';
import { TableHead } from '../../components/table-head.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { shortenUdid } from './arrivals.ts';
import { DeviceDetails } from './device-builds.tsx';
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
  const [filters, setFilters] = useState<Filters>({ search: '', state: undefined });
  const { shown, isComplete, error, retry } = useShown(devices, filters);
  const isManager = mayInOrganization(organization, 'device.manage');
  // With an Apple developer account, the table has one more column.
  const connections = useStoreConnections();
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
      {devices.rows === undefined || connections.isLoading ? (
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
        <>
          <RebuildList />
          <DeviceTable
            rows={shown ?? devices.rows}
            isManager={isManager}
            filters={filters}
            onFilter={setFilters}
            isComplete={isComplete}
            isSearching={!isComplete && error === null}
          />
        </>
      )}
      {devices.rows !== undefined && error !== null && <ErrorAlert error={error} onRetry={retry} />}
      {shown === undefined && isComplete && <LoadMore list={devices} />}
      <EnrollDialog isOpen={dialog === 'enroll'} onClose={close} />
      <Modal opened={dialog === 'new'} onClose={close} title={t.enterManually} centered>
        {dialog === 'new' && <NewDeviceForm onDone={close} />}
      </Modal>
    </>
  );
}

interface Filters {
  search: string;
  /** The state with Apple; undefined for all. */
  state: AppleState | undefined;
}

/**
 * Reads all devices while they are filtered, because the API can't search them. `shown` is undefined where those that are loaded are
 * enough, and until all are loaded.
 */
function useShown(loaded: ReturnType<typeof useReadPages<Device>>, { search, state }: Filters) {
  const query = { organization_id: useOrganization().identifier };
  const isNeeded = loaded.hasNextPage && (search.trim() !== '' || state !== undefined);
  const all = useReadAll<Device>('/devices', { query, isEnabled: isNeeded });
  return {
    shown: isNeeded ? all.data : undefined,
    isComplete: !isNeeded || all.data !== undefined,
    error: loaded.error ?? (isNeeded ? all.error : null),
    retry: () => void (loaded.error === null ? all : loaded).refetch(),
  };
}

/** The Apple developer account whose states are shown. */
interface Account {
  connection: Connection;
  /** All accounts of the organization. */
  connections: readonly Connection[];
}

/** Returns the account whose states are shown; undefined without any, and for people who may not see them. */
function useAccount(isManager: boolean) {
  const connections = useAppleConnections();
  const [chosen, setChosen] = useState<string>();
  const connection = connections.find(({ identifier }) => identifier === chosen) ?? connections[0];
  const account: Account | undefined = isManager && connection !== undefined ? { connection, connections } : undefined;
  return { account, setChosen };
}

interface TableProps {
  rows: readonly Device[];
  isManager: boolean;
  filters: Filters;
  onFilter(filters: Filters): void;
  /** Whether the rows are all in which the filters are applied. */
  isComplete: boolean;
  /** Whether others are being loaded. */
  isSearching: boolean;
}

function DeviceTable({ rows, isManager, filters, onFilter, isComplete, isSearching }: TableProps) {
  const texts = useTexts();
  const t = texts.devices;
  const owners = useOwners();
  const { account, setChosen } = useAccount(isManager);
  const { search, state } = filters;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isRegistering, setRegistering] = useState(false);
  const accountId = account?.connection.identifier;
  usePendingRegistrations(account?.connection);
  const term = search.trim().toLowerCase();
  const found = rows.filter(
    (device) =>
      (state === undefined || accountId === undefined || appleStateOf(device, accountId) === state) &&
      [device.name, device.model, device.product, device.udid, owners.nameOf(device.developer_id)].some((text) =>
        text?.toLowerCase().includes(term),
      ),
  );
  const selectable = accountId === undefined ? [] : found.filter((device) => takesPlace(device, accountId));
  const chosen = selectable.filter(({ identifier }) => selected.has(identifier));
  const select = (ids: readonly string[], isSelected: boolean) =>
    setSelected((before) => {
      const next = new Set(before);
      for (const id of ids) isSelected ? next.add(id) : next.delete(id);
      return next;
    });
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
          onChange={(event) => onFilter({ ...filters, search: event.currentTarget.value })}
        />
        {account !== undefined && (
          <AppleFilters
            account={account}
            state={state}
            onState={(chosen) => onFilter({ ...filters, state: chosen })}
            onAccount={setChosen}
          />
        )}
      </div>
      {account !== undefined && account.connection.pending_registrations > 0 && (
        <Text size="sm" role="status">
          {texts.stores.automatic.pending(account.connection.pending_registrations)}
        </Text>
      )}
      {account !== undefined && selectable.length > 0 && (
        <div className="tw-selection">
          <Checkbox
            label={chosen.length === 0 ? texts.stores.devices.selectAll : texts.stores.devices.selected(chosen.length)}
            checked={chosen.length === selectable.length}
            indeterminate={chosen.length > 0 && chosen.length < selectable.length}
            onChange={(event) =>
              select(
                selectable.map(({ identifier }) => identifier),
                event.currentTarget.checked,
              )
            }
          />
          {chosen.length > 0 && (
            <Button size="xs" onClick={() => setRegistering(true)}>
              {texts.stores.devices.register}
            </Button>
          )}
        </div>
      )}
      {isSearching && (
        <Text size="sm" role="status">
          {t.searching}
        </Text>
      )}
      {found.length === 0 ? (
        isComplete && (
          <Text size="sm" role="status">
            {t.noMatches}
          </Text>
        )
      ) : (
        <table className="tw-records" aria-label={t.title}>
          <TableHead
            titles={[
              t.name,
              t.owner,
              t.udidShort,
              t.registered,
              ...(account === undefined ? [] : [texts.stores.devices.column]),
            ]}
            hasActions
          />
          <tbody>
            {found.map((device) => (
              <Row
                key={device.identifier}
                device={device}
                owners={owners}
                isManager={isManager}
                account={account}
                isSelected={selected.has(device.identifier)}
                onSelect={(isSelected) => select([device.identifier], isSelected)}
              />
            ))}
          </tbody>
        </table>
      )}
      {account !== undefined && (
        <RegisterDialog
          devices={chosen}
          connections={account.connections}
          connectionId={account.connection.identifier}
          isOpen={isRegistering}
          onClose={() => setRegistering(false)}
          onDone={() => setSelected(new Set())}
        />
      )}
    </section>
  );
}

interface FiltersProps {
  account: Account;
  state: AppleState | undefined;
  onState(state: AppleState | undefined): void;
  onAccount(id: string): void;
}

function AppleFilters({ account: { connection, connections }, state, onState, onAccount }: FiltersProps) {
  const t = useTexts().stores.devices;
  return (
    <>
      <NativeSelect
        aria-label={t.filter}
        value={state ?? ''}
        data={[{ value: '', label: t.all }, ...appleStates.map((value) => ({ value, label: t.states[value] }))]}
        onChange={({ currentTarget: { value } }) => onState(appleStates.find((one) => one === value))}
      />
      {connections.length > 1 && (
        <NativeSelect
          aria-label={t.connection}
          value={connection.identifier}
          data={connections.map(({ identifier, name }) => ({ value: identifier, label: name }))}
          onChange={(event) => onAccount(event.currentTarget.value)}
        />
      )}
    </>
  );
}

interface RowProps {
  device: Device;
  owners: Owners;
  isManager: boolean;
  account: Account | undefined;
  isSelected: boolean;
  onSelect(isSelected: boolean): void;
}

function Row({ device, owners, isManager, account, isSelected, onSelect }: RowProps) {
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
