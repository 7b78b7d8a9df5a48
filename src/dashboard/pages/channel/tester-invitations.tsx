// Invitations to a channel: the dialog that creates one, and the list of invitations.

import { Badge, Button, Modal, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { ChannelInvite, NewChannelInvite } from '../../../testers/invitations/schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { OneTimeLinkDialog } from '../../components/one-time-link.tsx';
import { Loading, Section } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { RelativeTime, TimeInText } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

const path = '/channel-invites';

interface InviteDialogProps {
  channel: Channel;
  isOpen: boolean;
  onClose(): void;
}

/** Asks for the recipient, then shows the link. */
export function InviteDialog({ channel, isOpen, onClose }: InviteDialogProps) {
  const t = useTexts().testers.invite;
  const emailText = useEmailText();
  const [created, setCreated] = useState<NewChannelInvite>();
  return (
    <>
      <Modal opened={isOpen} onClose={onClose} title={t.title(channel.name)} centered>
        {isOpen && (
          <InviteForm
            channel={channel}
            onCreated={(invite) => {
              onClose();
              setCreated(invite);
            }}
          />
        )}
      </Modal>
      <OneTimeLinkDialog
        title={t.createdTitle}
        link={created?.invite_url}
        qrLabel={t.qrLabel(channel.name)}
        onClose={() => setCreated(undefined)}
      >
        {created?.email ? emailText(t.forAddress)(created.email) : t.forAnyone}
      </OneTimeLinkDialog>
    </>
  );
}

function InviteForm({ channel, onCreated }: { channel: Channel; onCreated(invite: NewChannelInvite): void }) {
  const texts = useTexts();
  const emailText = useEmailText();
  const t = texts.testers.invite;
  const query = { ...inProject(useProject()), channel_id: channel.identifier };
  const make = useChange((api, body: object) => api.send<NewChannelInvite>('POST', path, { query, body }), [path]);
  const form = useForm({
    values: { email: '' },
    async submit({ email }) {
      onCreated(await make.mutateAsync(email.trim() === '' ? {} : { email: email.trim() }));
    },
  });
  return (
    <FormBody form={form} submit={t.createLink}>
      <Text size="sm">{t.hint}</Text>
      <TextInput
        label={`${texts.testers.email} (${texts.common.optional})`}
        description={emailText(t.emailHint)}
        type="email"
        autoComplete="off"
        data-autofocus
        {...form.text('email')}
      />
    </FormBody>
  );
}

/**
 * Renders the invitations, or nothing if there are none. Refreshes automatically, because invitations expire and are
 * accepted elsewhere.
 */
export function Invitations({ channel, mayManage }: { channel: Channel; mayManage: boolean }) {
  const t = useTexts().testers.invite;
  const query = { ...inProject(useProject()), channel_id: channel.identifier };
  const list = useReadPages<ChannelInvite>(path, { query, intervalMs: 30_000 });
  if (list.rows?.length === 0) return null;
  return (
    <Section title={t.listTitle}>
      <PagedList list={list} loading={<Loading rows={1} height={44} />}>
        {(invite) => <InviteRow key={invite.identifier} invite={invite} mayManage={mayManage} />}
      </PagedList>
    </Section>
  );
}

function InviteRow({ invite, mayManage }: { invite: ChannelInvite; mayManage: boolean }) {
  const t = useTexts().testers.invite;
  const revoke = useChange((api) => api.send('DELETE', `${path}/${invite.identifier}`), [path]);
  const { email, accepted_at: acceptedAt } = invite;
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">{email ?? t.anyone}</div>
        <div className="tw-small">
          {acceptedAt === null ? (
            <TimeInText text={t.expires} at={invite.expires_at} />
          ) : (
            <>
              {t.accepted} <RelativeTime at={acceptedAt} />
            </>
          )}
        </div>
      </div>
      {acceptedAt !== null && <Badge color="green">{t.accepted}</Badge>}
      {acceptedAt === null && mayManage && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={revoke.isPending}
          onClick={() => revoke.mutate(undefined, { onSuccess: () => showSuccess(t.revoked) })}
        >
          {t.revoke}
        </Button>
      )}
      {revoke.error !== null && <ErrorAlert error={revoke.error} />}
    </li>
  );
}
