// Invitations into a channel: making one, whose link is shown this once, and those that are open or were accepted.

import { Badge, Button, Modal, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { ChannelInvite, NewChannelInvite } from '../../../testers/invitations/schema.ts';
import { useChange, useReadPages } from '../../api/api-context.ts';
import { FormBody, useForm } from '../../parts/form.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { useMailTexts } from '../../parts/mail-texts.ts';
import { Loading, Section, Shown } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Time } from '../../parts/time.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { useTexts } from '../../texts/languages.ts';
import { inProject, useProject } from '../project/project-context.ts';

const path = '/channel-invites';

interface InviteDialogProps {
  channel: Channel;
  isOpen: boolean;
  onClose(): void;
}

/** Asks whom, then shows the link. */
export function InviteDialog({ channel, isOpen, onClose }: InviteDialogProps) {
  const t = useTexts().testers.invite;
  const say = useMailTexts();
  const [made, setMade] = useState<NewChannelInvite>();
  return (
    <>
      <Modal opened={isOpen} onClose={onClose} title={t.title(channel.name)} centered>
        {isOpen && (
          <InviteForm
            channel={channel}
            onMade={(invite) => {
              onClose();
              setMade(invite);
            }}
          />
        )}
      </Modal>
      <Secret title={t.createdTitle} secret={made?.invite_url} onClose={() => setMade(undefined)}>
        <Text>{made?.email ? say(t.forAddress)(made.email) : t.forAnyone}</Text>
        {made !== undefined && (
          <div className="tw-qr-sheet">
            <QrCode text={made.invite_url} label={t.qrLabel(channel.name)} />
          </div>
        )}
      </Secret>
    </>
  );
}

function InviteForm({ channel, onMade }: { channel: Channel; onMade(invite: NewChannelInvite): void }) {
  const texts = useTexts();
  const say = useMailTexts();
  const t = texts.testers.invite;
  const query = { ...inProject(useProject()), channel_id: channel.identifier };
  const make = useChange((api, body: object) => api.send<NewChannelInvite>('POST', path, { query, body }), [path]);
  const form = useForm({
    values: { email: '' },
    async submit({ email }) {
      onMade(await make.mutateAsync(email.trim() === '' ? {} : { email: email.trim() }));
    },
  });
  return (
    <FormBody form={form} submit={t.createLink}>
      <Text size="sm">{t.hint}</Text>
      <TextInput
        label={`${texts.testers.email} (${texts.common.optional})`}
        description={say(t.emailHint)}
        type="email"
        autoComplete="off"
        data-autofocus
        {...form.text('email')}
      />
    </FormBody>
  );
}

const EVERY_MS = 30_000;

/** The list; nothing where there is none. It renews itself, since what is open ends by itself and is accepted elsewhere. */
export function OpenInvitations({ channel, mayManage }: { channel: Channel; mayManage: boolean }) {
  const t = useTexts().testers.invite;
  const query = { ...inProject(useProject()), channel_id: channel.identifier };
  const list = useReadPages<ChannelInvite>(path, { query });
  const { refetch } = list;
  useEffect(() => {
    const timer = setInterval(() => void refetch(), EVERY_MS);
    return () => clearInterval(timer);
  }, [refetch]);
  if (list.rows?.length === 0) return null;
  return (
    <Section title={t.listTitle}>
      <Shown read={{ ...list, data: list.rows }} loading={<Loading rows={1} height={44} />}>
        {(rows) => (
          <ul className="tw-list">
            {rows.map((invite) => (
              <InviteRow key={invite.identifier} invite={invite} mayManage={mayManage} />
            ))}
          </ul>
        )}
      </Shown>
      <LoadMore list={list} />
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
          {acceptedAt === null ? t.expires : t.accepted} <Time at={acceptedAt ?? invite.expires_at} />
        </div>
      </div>
      {acceptedAt !== null && <Badge color="green">{t.accepted}</Badge>}
      {acceptedAt === null && mayManage && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={revoke.isPending}
          onClick={() => revoke.mutate(undefined, { onSuccess: () => sayDone(t.revoked) })}
        >
          {t.revoke}
        </Button>
      )}
      {revoke.error !== null && <Problem error={revoke.error} />}
    </li>
  );
}
