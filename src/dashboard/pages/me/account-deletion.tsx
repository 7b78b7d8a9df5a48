// One's address, one's data, and the end of the account.

import { Badge, Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { DataExport } from '../../../accounts/exports/schema.ts';
import type { Developer } from '../../../accounts/schema.ts';
import { type Page, useApi, useChange, useRead } from '../../api/api-context.ts';
import { useMailTexts } from '../../parts/mail-texts.ts';
import { Loading, Section, Shown } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { StepUpForm } from '../../parts/step-up.tsx';
import { Time } from '../../parts/time.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { useFacts } from '../../shell/facts.ts';
import { useTexts } from '../../texts/languages.ts';

/** Changes the address; the new one has to be proven by a link before it counts. */
export function AddressSection({ me }: { me: Developer }) {
  const t = useTexts().account;
  const say = useMailTexts();
  const api = useApi();
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
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
            <Text size="sm">{say(t.addressHint)}</Text>
            <StepUpForm
              action={t.changeAddress}
              field={{ name: 'new_email', label: t.newEmail }}
              isHarmless
              onSubmit={async (body) => {
                await api.send('POST', `/developers/${me.identifier}/change_email`, { body });
                setOpen(false);
                sayDone(say(t.addressRequested));
              }}
            />
          </Stack>
        )}
      </Modal>
    </Section>
  );
}

const EVERY_MS = 2000;

/** Archives of what the server keeps about one. */
export function ExportSection({ me }: { me: Developer }) {
  const t = useTexts().account.exports;
  const path = `/developers/${me.identifier}/exports`;
  const [isWaiting, setWaiting] = useState(false);
  const archives = useRead<Page<DataExport>>(path, { everyMs: isWaiting ? EVERY_MS : undefined });
  const newest = archives.data?.items[0];
  if (isWaiting && newest !== undefined && newest.state !== 'preparing') setWaiting(false);
  const ask = useChange((api) => api.send('POST', path), [path]);
  return (
    <Section
      title={t.title}
      hint={t.hint}
      actions={
        <Button
          variant="default"
          loading={ask.isPending || newest?.state === 'preparing'}
          onClick={() => ask.mutate(undefined, { onSuccess: () => setWaiting(true) })}
        >
          {t.create}
        </Button>
      }
    >
      {ask.error !== null && <Problem error={ask.error} />}
      <Shown read={archives} loading={<Loading rows={1} height={40} />}>
        {({ items }) => (
          <ul className="tw-list">
            {items.map((archive) => (
              <ExportRow key={archive.identifier} archive={archive} />
            ))}
          </ul>
        )}
      </Shown>
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
        <Time at={archive.created_at} /> <Badge>{t.states[archive.state]}</Badge>
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
      {download.error !== null && <Problem error={download.error} />}
    </li>
  );
}

/** Ends the account; a mail can take that back for a while. */
export function DeletionSection({ me }: { me: Developer }) {
  const t = useTexts().account.deletion;
  const say = useMailTexts();
  const api = useApi();
  const { base } = useFacts();
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={t.title} hint={say(t.hint)}>
      <div>
        <Button color="red" variant="outline" onClick={() => setOpen(true)}>
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
