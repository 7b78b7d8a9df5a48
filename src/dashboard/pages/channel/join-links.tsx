// Join links of a channel: the dialog that creates one, and the list of links.

import { Badge, Button, Modal, Text, TextInput } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { JoinLink, NewJoinLink } from '../../../testers/join-links/schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { type Expiry, ExpiryChoice, expiryDate } from '../../components/expiry-choice.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { OneTimeLinkDialog } from '../../components/one-time-link.tsx';
import { Loading, Section } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { PrintSheet } from '../../components/print-sheet.tsx';
import { RelativeTime, TimeInText } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';

const pathOf = ({ identifier }: Channel) => `/channels/${identifier}/join-links`;

interface JoinLinkDialogProps {
  channel: Channel;
  isOpen: boolean;
  onClose(): void;
}

/** Asks for the limits of the link, then shows it once. */
export function JoinLinkDialog({ channel, isOpen, onClose }: JoinLinkDialogProps) {
  const t = useTexts().testers.joinLinks;
  const [created, setCreated] = useState<NewJoinLink>();
  return (
    <>
      <Modal opened={isOpen} onClose={onClose} title={t.title(channel.name)} centered>
        {isOpen && (
          <JoinLinkForm
            channel={channel}
            onCreated={(link) => {
              onClose();
              setCreated(link);
            }}
          />
        )}
      </Modal>
      <OneTimeLinkDialog
        title={t.createdTitle}
        link={created?.join_url}
        qrLabel={t.qrLabel(channel.name)}
        use={created === undefined ? null : <PrintLink channel={channel} link={created.join_url} />}
        onClose={() => setCreated(undefined)}
      >
        {t.use}
      </OneTimeLinkDialog>
    </>
  );
}

function PrintLink({ channel, link }: { channel: Channel; link: string }) {
  const t = useTexts().testers.joinLinks;
  const project = useProject();
  const [isPrinting, setPrinting] = useState(false);
  const stop = useCallback(() => setPrinting(false), []);
  return (
    <>
      <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => setPrinting(true)}>
        {t.print}
      </Button>
      {isPrinting && (
        <PrintSheet
          title={project.name}
          subtitle={channel.name}
          hint={t.printHint}
          link={link}
          label={t.qrLabel(channel.name)}
          onDone={stop}
        />
      )}
    </>
  );
}

interface Values {
  label: string;
  expires_at: Expiry;
  max_people: string;
  email_domain: string;
}

function JoinLinkForm({ channel, onCreated }: { channel: Channel; onCreated(link: NewJoinLink): void }) {
  const texts = useTexts();
  const t = texts.testers.joinLinks;
  const path = pathOf(channel);
  const create = useChange((api, body: object) => api.send<NewJoinLink>('POST', path, { body }), [path]);
  const form = useForm<Values>({
    values: { label: '', expires_at: { kind: 'days', days: 30 }, max_people: '', email_domain: '' },
    async submit({ label, expires_at: expiry, max_people: people, email_domain: domain }) {
      onCreated(
        await create.mutateAsync({
          label: label.trim() || null,
          expires_at: expiryDate(expiry),
          max_people: readNumber(people.trim()),
          email_domain: domain.trim().replace(/^@/, '') || null,
        }),
      );
    },
  });
  const isWhole = typeof readNumber(form.values.max_people.trim()) !== 'string';
  const optional = (label: string) => `${label} (${texts.common.optional})`;
  return (
    <FormBody form={form} submit={t.create}>
      <Text size="sm">{t.hint}</Text>
      <TextInput
        label={optional(t.label)}
        description={t.labelHint}
        autoComplete="off"
        data-autofocus
        {...form.text('label')}
      />
      <ExpiryChoice
        value={form.values.expires_at}
        error={form.errors.expires_at}
        onChange={(expiry) => form.set('expires_at', expiry)}
      />
      <TextInput
        label={optional(t.maxPeople)}
        description={t.maxPeopleHint}
        inputMode="numeric"
        autoComplete="off"
        {...form.text('max_people')}
        error={isWhole ? form.errors.max_people : texts.upload.wholeNumber}
      />
      <TextInput
        label={optional(t.domain)}
        description={t.domainHint}
        placeholder="example.com"
        autoComplete="off"
        {...form.text('email_domain')}
      />
    </FormBody>
  );
}

/** Returns a number, null for nothing, and other text as it is, so that the server rejects it. */
function readNumber(text: string): number | string | null {
  if (text === '') return null;
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** Renders the links, or nothing if there are none. Refreshes automatically, because people join elsewhere. */
export function JoinLinks({ channel, mayManage }: { channel: Channel; mayManage: boolean }) {
  const t = useTexts().testers.joinLinks;
  const path = pathOf(channel);
  const list = useReadPages<JoinLink>(path, { intervalMs: 30_000 });
  if (list.rows?.length === 0) return null;
  return (
    <Section title={t.listTitle}>
      <PagedList list={list} loading={<Loading rows={1} height={44} />}>
        {(link) => <LinkRow key={link.identifier} link={link} path={path} mayManage={mayManage} />}
      </PagedList>
    </Section>
  );
}

const stateColors = { open: 'green', full: 'yellow', expired: 'gray', revoked: 'gray' } as const;

function LinkRow({ link, path, mayManage }: { link: JoinLink; path: string; mayManage: boolean }) {
  const t = useTexts().testers.joinLinks;
  const [isConfirming, setConfirming] = useState(false);
  const revoke = useChange((api) => api.send('DELETE', `${path}/${link.identifier}`), [path]);
  const { state, label, joined, max_people: maxPeople, email_domain: domain, expires_at: expiresAt } = link;
  const name = label ?? t.unnamed;
  const isCurrent = state === 'open' || state === 'full';
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">{name}</div>
        <div className="tw-small">
          {t.joined(joined, maxPeople)}
          {domain !== null && ` · ${t.onlyDomain(domain)}`}
        </div>
        <div className="tw-small">
          {t.created} <RelativeTime at={link.created_at} />
          {isCurrent && expiresAt !== null && (
            <>
              {' · '}
              <TimeInText text={t.expires} at={expiresAt} />
            </>
          )}
        </div>
      </div>
      <Badge color={stateColors[state]}>{t.states[state]}</Badge>
      {isCurrent && mayManage && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`${t.revoke}: ${name}`}
          onClick={() => setConfirming(true)}
        >
          {t.revoke}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.revokeTitle(name)}
        action={t.revoke}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await revoke.mutateAsync(undefined);
          showSuccess(t.revoked);
        }}
      >
        {t.revokeEffect(joined)}
      </ConfirmDialog>
    </li>
  );
}
