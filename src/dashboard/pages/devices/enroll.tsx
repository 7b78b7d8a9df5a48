// Brings in a phone: a link as QR code, and a look-out for who comes by it.
import { Alert, Button, Loader, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Fragment, useEffect, useState } from 'react';
import type { Device, EnrollmentAnswer } from '../../../devices/schema.ts';
import { type Page, readAgain, useChange, useRead } from '../../api/api-context.ts';
import { Copyable } from '../../parts/copy.tsx';
import { FormBody, useForm } from '../../parts/form.tsx';
import { LocalLinkHint } from '../../parts/local-link.tsx';
import { Problem } from '../../parts/problem.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { useOrganization } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { DeviceBuilds } from './device-builds.tsx';
import { useOwners } from './owners.ts';
import { findArrivals, pollingInterval, shortenUdid } from './watch.ts';

/** Of the newest devices so many are looked through. */
const LOOKED_AT = 1000;

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
          <EnrollForm onMade={setEnrollment} />
        ) : (
          <Waiting
            key={enrollment.identifier}
            enrollment={enrollment}
            onAgain={() => setEnrollment(undefined)}
            onClose={close}
          />
        ))}
    </Modal>
  );
}

function EnrollForm({ onMade }: { onMade(enrollment: EnrollmentAnswer): void }) {
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
      onMade(await create.mutateAsync(given));
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

function Waiting({ enrollment, onAgain, onClose }: WaitingProps) {
  const texts = useTexts();
  const t = texts.devices.enroll;
  const isOver = useIsOver(enrollment);
  return (
    <Stack align="center">
      <Text size="sm">{isOver ? t.expired : t.scan}</Text>
      {isOver ? (
        <Button onClick={onAgain}>{t.createNewLink}</Button>
      ) : (
        <>
          <QrCode text={enrollment.url} label={t.qrLabel} size={232} />
          <Copyable text={enrollment.url} what={t.link} />
          <LocalLinkHint link={enrollment.url} />
        </>
      )}
      <LookOut enrollment={enrollment} isOver={isOver} />
      <Button variant="default" onClick={onClose}>
        {texts.common.close}
      </Button>
    </Stack>
  );
}

/** Whether the link's time is up, by this machine's clock from the moment that the link came. */
function useIsOver({ created_at: from, expires_at: to }: EnrollmentAnswer): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), Date.parse(to) - Date.parse(from));
    return () => clearTimeout(timer);
  }, [from, to]);
  return isOver;
}

function LookOut({ enrollment, isOver }: { enrollment: EnrollmentAnswer; isOver: boolean }) {
  const t = useTexts().devices.enroll;
  const queries = useQueryClient();
  const [since, setSince] = useState(() => Date.now());
  const [waited, setWaited] = useState(0);
  const pause = isOver ? undefined : pollingInterval(waited);
  // An address of its own, so that the list behind is not read again with each look.
  const look = useRead<Page<Device>>('/devices', {
    query: { organization_id: enrollment.organization_id, limit: LOOKED_AT },
    everyMs: pause,
  });
  const lookedAt = Math.max(look.dataUpdatedAt, look.errorUpdatedAt);
  useEffect(() => setWaited(Math.max(0, lookedAt - since)), [lookedAt, since]);
  const arrivals = findArrivals(look.data?.items ?? [], enrollment.created_at);
  const count = arrivals.length;
  useEffect(() => {
    if (count === 0) return;
    setSince(Date.now());
    void readAgain(queries, '/devices', '/builds');
  }, [count, queries]);
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
      {count > 0 && !isOver && <Text size="sm">{t.registerAnother}</Text>}
      {look.error !== null && <Problem error={look.error} onRetry={() => void look.refetch()} />}
      {!isOver &&
        (pause === undefined ? (
          <div className="tw-waiting">
            <Text size="sm">{t.paused}</Text>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setSince(Date.now());
                void look.refetch();
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
