// The sections for changing the email address, exporting data, and deleting the account.

import { Badge, Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { DataExport } from '../../../accounts/exports/schema.ts';
import type { Developer } from '../../../accounts/schema.ts';
import { type Page, useApi, useChange, useRead } from '../../api/hooks.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { StepUpForm } from '../../components/step-up.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';

/** Changes the email address. The new one must be verified first. */
export function AddressSection({ me }: { me: Developer }) {
  const t = useTexts().account;
  const emailText = useEmailText();
  const api = useApi();
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      id="email"
      title={t.address}
      hint={me.email}
      actions={
        <Button variant="default" onClick={() => setOpen(true)}>
          {t.changeAddress}
        </Button>
      }
    >
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t.changeAddress} centered>
        {isOpen && (
          <Stack>
            <Text size="sm">{emailText(t.addressHint)}</Text>
            <StepUpForm
              action={t.changeAddress}
              field={{ name: 'new_email', label: t.newEmail }}
              isHarmless
              onSubmit={async (body) => {
                await api.send('POST', `/developers/${me.identifier}/change_email`, { body });
                setOpen(false);
                showSuccess(emailText(t.addressRequested));
              }}
            />
          </Stack>
        )}
      </Modal>
    </Section>
  );
}

const EVERY_MS = 2000;

/** Archives of the user's data. */
export function ExportSection({ me }: { me: Developer }) {
  const t = useTexts().account.exports;
  const path = `/developers/${me.identifier}/exports`;
  const archives = useRead<Page<DataExport>>(path);
  const isPreparing = archives.data?.items[0]?.state === 'preparing';
  // Reads the same list again until the newest archive is ready.
  useRead<Page<DataExport>>(path, { isEnabled: isPreparing, intervalMs: EVERY_MS });
  const ask = useChange((api) => api.send('POST', path), [path]);
  return (
    <Section
      id="data"
      title={t.title}
      hint={t.hint}
      actions={
        <Button variant="default" loading={ask.isPending || isPreparing} onClick={() => ask.mutate(undefined)}>
          {t.create}
        </Button>
      }
    >
      {ask.error !== null && <ErrorAlert error={ask.error} />}
      <QueryContent read={archives} loading={<RowsSkeleton rows={1} picture={0} />}>
        {({ items }) => (
          <ul className="tw-list">
            {items.map((archive) => (
              <ExportRow key={archive.identifier} archive={archive} />
            ))}
          </ul>
        )}
      </QueryContent>
    </Section>
  );
}

function ExportRow({ archive }: { archive: DataExport }) {
  const t = useTexts().account.exports;
  const download = useChange(
    (api) => api.send<{ download_url: string }>('GET', `/exports/${archive.identifier}/download`),
    [],
  );
  return (
    <li>
      <div className="tw-grow">
        <RelativeTime at={archive.created_at} /> <Badge>{t.states[archive.state]}</Badge>
      </div>
      {archive.state === 'ready' && (
        <Button
          size="compact-sm"
          variant="default"
          loading={download.isPending}
          onClick={() =>
            download.mutate(undefined, { onSuccess: ({ download_url: address }) => location.assign(address) })
          }
        >
          {t.download}
        </Button>
      )}
      {download.error !== null && <ErrorAlert error={download.error} />}
    </li>
  );
}

/** Deletes the account after the grace period, until which an emailed link can cancel this. */
export function DeletionSection({ me }: { me: Developer }) {
  const t = useTexts().account.deletion;
  const emailText = useEmailText();
  const api = useApi();
  const { base } = useServerInfo();
  const [isOpen, setOpen] = useState(false);
  return (
    <Section id="delete" title={t.title} hint={emailText(t.hint)}>
      <div>
        <Button variant="default" className="tw-danger" onClick={() => setOpen(true)}>
          {t.delete}
        </Button>
      </div>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t.delete} centered>
        {isOpen && (
          <Stack>
            <Text size="sm">{t.effect(me.email)}</Text>
            <StepUpForm
              action={t.delete}
              onSubmit={async (body) => {
                await api.send('DELETE', `/developers/${me.identifier}`, { body });
                api.clearSession();
                location.assign(`${base}/sign-in?left`);
              }}
            />
          </Stack>
        )}
      </Modal>
    </Section>
  );
}
