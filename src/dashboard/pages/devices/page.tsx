// The devices of the organization: registration, list, and export for Apple.
import { Button, Modal } from '@mantine/core';
import { IconPlus, IconQrcode } from '@tabler/icons-react';
import { useState } from 'react';
import type { Device } from '../../../devices/schema.ts';
import { useReadAll, useReadPages } from '../../api/hooks.ts';
import { ExportButton } from '../../components/device-export.tsx';
import { ErrorAlert, ErrorPage } from '../../components/errors.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { EmptyState, PageHeader, RowsSkeleton } from '../../components/page.tsx';
import { RebuildList } from '../../components/rebuilds.tsx';
import { requestCommand } from '../../components/request-command.ts';
import { useStoreConnections } from '../../components/stores.ts';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { EnrollDialog } from './enroll.tsx';
import { NewDeviceForm } from './forms.tsx';
import { DeviceTable, type Filters } from './table.tsx';

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
  const hasDevices = devices.rows !== undefined && devices.rows.length > 0;
  const enrollPath = `/devices/enrollments?organization_id=${organization.identifier}`;
  return (
    <>
      <PageHeader
        title={t.title}
        beside={
          hasDevices && (
            <span className="tw-count">
              {devices.rows?.length}
              {devices.hasNextPage && '+'}
            </span>
          )
        }
        hint={t.hint}
        actions={
          <>
            {isManager && hasDevices && <ExportButton />}
            {isManager && (
              <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setDialog('new')}>
                {t.enterManually}
              </Button>
            )}
            {hasDevices && enrollButton}
          </>
        }
      />
      {devices.rows === undefined || connections.isLoading ? (
        devices.error === null ? (
          <RowsSkeleton rows={8} picture={28} hasCaption head={76} />
        ) : (
          <ErrorPage error={devices.error} onRetry={() => void devices.refetch()} />
        )
      ) : !hasDevices ? (
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
