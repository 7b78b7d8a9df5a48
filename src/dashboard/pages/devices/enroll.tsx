// Registers a device: shows the enrollment link as a QR code and waits for devices.
import { Alert, Button, Loader, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Fragment, useEffect, useState } from 'react';
import type { Device, EnrollmentAnswer } from '../../../devices/schema.ts';
import { invalidate, type Page, useChange } from '../../api/hooks.ts';
import { Copyable } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { LocalLinkHint } from '../../components/local-link.tsx';
import { pollingSchedules, useScheduledRead } from '../../components/polling.ts';
import { QrCode } from '../../components/qr-code.tsx';
import { minuteMs } from '../../components/times.ts';
import { useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { findEnrolledSince, shortenUdid } from './arrivals.ts';
import { DeviceBuilds } from './device-builds.tsx';
import { useOwners } from './owners.ts';

/** The number of newest devices that are checked. */
const MAX_DEVICES = 1000;

export function EnrollDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const t = useTexts().devices.enroll;
  const [enrollment, setEnrollment] = useState<EnrollmentAnswer>();
  function close(): void {
    setEnrollment(undefined);
    onClose();
  }
  return (
    <Modal opened={isOpen} onClose={close} title={t.title} centered>
      {isOpen &&
        (enrollment === undefined ? (
          <EnrollForm onCreated={setEnrollment} />
        ) : (
          <WaitingForDevice
            key={enrollment.identifier}
            enrollment={enrollment}
            onAgain={() => setEnrollment(undefined)}
            onClose={close}
          />
        ))}
    </Modal>
  );
}

function EnrollForm({ onCreated }: { onCreated(enrollment: EnrollmentAnswer): void }) {
  const texts = useTexts();
  const t = texts.devices.enroll;
  const query = { organization_id: useOrganization().identifier };
  const owners = useOwners();
  const create = useChange(
    (api, body: object) => api.send<EnrollmentAnswer>('POST', '/devices/enrollments', { query, body }),
    [],
  );
  const form = useForm({
    values: { name: '', developer_id: '' },
    async submit({ name, developer_id: owner }) {
      const given = { name: name.trim() === '' ? null : name, developer_id: owner === '' ? null : owner };
      onCreated(await create.mutateAsync(given));
    },
  });
  return (
    <FormBody form={form} submit={t.showQrCode}>
      <TextInput
        label={`${t.name} (${texts.common.optional})`}
        description={t.nameHint}
        data-autofocus
        {...form.text('name')}
      />
      <NativeSelect label={t.owner} data={owners.choices} {...form.text('developer_id')} />
    </FormBody>
  );
}

interface WaitingProps {
  enrollment: EnrollmentAnswer;
  onAgain(): void;
  onClose(): void;
}

function WaitingForDevice({ enrollment, onAgain, onClose }: WaitingProps) {
  const texts = useTexts();
  const t = texts.devices.enroll;
  const isExpired = useIsExpired(enrollment);
  return (
    <Stack align="center">
      <Text size="sm">{isExpired ? t.expired : t.scan}</Text>
      {isExpired ? (
        <Button onClick={onAgain}>{t.createNewLink}</Button>
      ) : (
        <>
          <QrCode text={enrollment.url} label={t.qrLabel} size={232} />
          <Copyable text={enrollment.url} what={t.link} />
          <LocalLinkHint link={enrollment.url} />
        </>
      )}
      <ArrivalList enrollment={enrollment} isExpired={isExpired} />
      <Button variant="default" onClick={onClose}>
        {texts.common.close}
      </Button>
    </Stack>
  );
}

/** Returns whether the link has expired, measured on this device's clock from when the link was received. */
function useIsExpired({ created_at: from, expires_at: to }: EnrollmentAnswer): boolean {
  const [isExpired, setExpired] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setExpired(true), Date.parse(to) - Date.parse(from));
    return () => clearTimeout(timer);
  }, [from, to]);
  return isExpired;
}

function ArrivalList({ enrollment, isExpired }: { enrollment: EnrollmentAnswer; isExpired: boolean }) {
  const t = useTexts().devices.enroll;
  const queries = useQueryClient();
  // A query of its own, so that the list behind isn't refetched each time.
  const read = useScheduledRead<Page<Device>>('/devices', {
    query: { organization_id: enrollment.organization_id, limit: MAX_DEVICES },
    schedule: isExpired ? undefined : pollingSchedules.enrollment,
  });
  const { restart } = read;
  const arrivals = findEnrolledSince(read.data?.items ?? [], enrollment.created_at);
  const count = arrivals.length;
  useEffect(() => {
    if (count === 0) return;
    restart();
    void invalidate(queries, '/devices', '/builds');
  }, [count, queries, restart]);
  return (
    <Stack align="stretch" w="100%" role="status">
      {arrivals.map((device) => (
        <Fragment key={device.identifier}>
          <Alert
            color="green"
            icon={<IconCircleCheck size={20} />}
            title={t.registered(device.name)}
            role="presentation"
          >
            {[device.model, shortenUdid(device.udid)].filter((fact) => fact !== null).join(' · ')}
          </Alert>
          <DeviceBuilds device={device} />
        </Fragment>
      ))}
      {count > 0 && !isExpired && <Text size="sm">{t.registerAnother}</Text>}
      {read.error !== null && <ErrorAlert error={read.error} onRetry={() => void read.refetch()} />}
      {!isExpired &&
        (!read.isPolling ? (
          <div className="tw-waiting">
            <Text size="sm">{t.paused(pollingSchedules.enrollment.timeoutMs / minuteMs)}</Text>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                restart();
                void read.refetch();
              }}
            >
              {t.keepWaiting}
            </Button>
          </div>
        ) : (
          <div className="tw-waiting">
            <Loader size={16} aria-hidden />
            <Text size="sm">{t.waiting}</Text>
          </div>
        ))}
    </Stack>
  );
}
