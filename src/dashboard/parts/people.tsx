// Who works in an organization or a project, and who is invited: the same two lists with the same operations.

import { Badge, Button, Modal, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useChange, useReadAll } from '../api/api-context.ts';
import { clearChosenOrganization } from '../shell/chosen-organization.ts';
import { useFacts } from '../shell/facts.ts';
import { organizationsPath, useVisit } from '../shell/me.ts';
import { useTexts } from '../texts/languages.ts';
import { AppIcon } from './app-icon.tsx';
import { Confirm } from './confirm.tsx';
import { FormBody, useForm } from './form.tsx';
import { useMailTexts } from './mail-texts.ts';
import { Loading, Section, Shown } from './page.tsx';
import { Problem } from './problem.tsx';
import { ShareLink } from './share-link.tsx';
import { Time } from './time.tsx';
import { sayDone } from './toasts.ts';

interface Member {
  developer_id: string;
  email: string;
  display_name: string;
  role: string;
  created_at: string;
}

interface Invite {
  identifier: string;
  email: string;
  role: string;
  sent_at: string;
  expires_at: string;
}

/** Its link is shown once. */
interface NewInvite extends Invite {
  accept_url: string;
}

interface PeopleProps {
  /** `/organizations/{id}` or `/projects/{id}`. */
  path: string;
  /** What else is read again after a change. */
  touches: readonly string[];
  roles: readonly string[];
  roleNames: Record<string, string>;
  roleHints?: Record<string, string>;
  hint?: string;
  /** Sees the list alone. */
  isReadOnly?: boolean;
  /** Roles that the caller may give and take. */
  grantable?: readonly string[];
}

/** Both lists. */
export function PeopleSection(props: PeopleProps) {
  const t = useTexts().people;
  const [isInviting, setInviting] = useState(false);
  const [made, setMade] = useState<NewInvite>();
  const { sendsMail } = useFacts();
  const { isReadOnly = false, hint } = props;
  function invited(invite: NewInvite): void {
    setInviting(false);
    if (sendsMail) sayDone(t.invited(invite.email));
    else setMade(invite);
  }
  return (
    <>
      <Section
        title={t.members}
        {...(hint === undefined ? {} : { hint })}
        actions={
          isReadOnly ? null : (
            <Button leftSection={<IconUserPlus size={16} />} onClick={() => setInviting(true)}>
              {t.invite}
            </Button>
          )
        }
      >
        <Members {...props} />
      </Section>
      {!isReadOnly && <Invites {...props} />}
      <Modal opened={isInviting} onClose={() => setInviting(false)} title={t.invite} centered>
        {isInviting && <InviteForm {...props} onDone={invited} />}
      </Modal>
      <ShareLink
        title={t.linkTitle(made?.email ?? '')}
        link={made?.accept_url}
        what={t.link}
        onClose={() => setMade(undefined)}
      >
        {t.linkText(made?.email ?? '')}
      </ShareLink>
    </>
  );
}

function Members(props: PeopleProps) {
  const { path } = props;
  const members = useReadAll<Member>(`${path}/members`);
  const t = useTexts().people;
  return (
    <Shown read={members} loading={<Loading rows={3} height={48} />}>
      {(rows) =>
        rows.length === 0 ? (
          <Text size="sm">{t.none}</Text>
        ) : (
          <ul className="tw-list" aria-label={t.members}>
            {rows.map((member) => (
              <MemberRow key={member.developer_id} member={member} {...props} />
            ))}
          </ul>
        )
      }
    </Shown>
  );
}

function MemberRow({
  member,
  path,
  touches,
  roles,
  roleNames,
  isReadOnly = false,
  grantable = roles,
}: PeopleProps & { member: Member }) {
  const texts = useTexts();
  const t = texts.people;
  const { me } = useVisit();
  const { base } = useFacts();
  const [isAsking, setAsking] = useState(false);
  const [lowered, setLowered] = useState<string>();
  const own = `${path}/members/${member.developer_id}`;
  const isMe = member.developer_id === me.identifier;
  const change = useChange((api, role: string) => api.send('PATCH', own, { body: { role } }), touches);
  const lower = useChange((api, role: string) => api.send('PATCH', own, { body: { role } }), touches);
  const remove = useChange((api) => api.send('DELETE', own), touches);
  const mayChange = !isReadOnly && grantable.includes(member.role);
  const changeTo = (role: string) => change.mutate(role, { onSuccess: () => sayDone(texts.common.saved) });
  // Who lowers their own role cannot raise it again.
  const isLowering = (role: string) => isMe && roles.indexOf(role) < roles.indexOf(member.role);
  return (
    <li>
      <AppIcon src={null} name={member.display_name} size={36} />
      <div className="tw-grow">
        <div className="tw-strong">
          {member.display_name} {isMe && <Badge variant="default">{t.you}</Badge>}
        </div>
        <div className="tw-small">{member.email}</div>
      </div>
      {mayChange && grantable.length > 1 ? (
        <NativeSelect
          size="xs"
          aria-label={t.roleOf(member.display_name)}
          value={member.role}
          disabled={change.isPending}
          data={grantable.map((value) => ({ value, label: roleNames[value] ?? value }))}
          onChange={({ currentTarget: { value } }) => (isLowering(value) ? setLowered(value) : changeTo(value))}
        />
      ) : (
        <Badge variant="default">{roleNames[member.role] ?? member.role}</Badge>
      )}
      {(mayChange || isMe) && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={isMe ? t.leave : t.removeOf(member.display_name)}
          onClick={() => setAsking(true)}
        >
          {isMe ? t.leave : texts.common.remove}
        </Button>
      )}
      {change.error !== null && <Problem error={change.error} />}
      <Confirm
        isOpen={isAsking}
        title={isMe ? t.leaveTitle : t.removeTitle(member.display_name)}
        action={isMe ? t.leave : texts.common.remove}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          if (!isMe) return;
          if (path.startsWith(organizationsPath)) clearChosenOrganization();
          location.assign(`${base}/`);
        }}
      >
        {isMe ? t.leaveEffect : t.removeEffect(member.email)}
      </Confirm>
      <Confirm
        isOpen={lowered !== undefined}
        title={t.lowerRoleTitle(roleNames[lowered ?? ''] ?? '')}
        action={t.lowerRole}
        onClose={() => setLowered(undefined)}
        onConfirm={async () => {
          if (lowered !== undefined) await lower.mutateAsync(lowered);
          sayDone(texts.common.saved);
        }}
      >
        {t.lowerRoleEffect(roleNames[member.role] ?? '')}
      </Confirm>
    </li>
  );
}

function Invites({ path, roleNames }: PeopleProps) {
  const t = useTexts().people;
  const invites = useReadAll<Invite>(`${path}/invites`);
  if (invites.data?.length === 0) return null;
  return (
    <Section title={t.invitations}>
      <Shown read={invites} loading={<Loading rows={1} height={48} />}>
        {(rows) => (
          <ul className="tw-list">
            {rows.map((invite) => (
              <InviteRow key={invite.identifier} invite={invite} path={path} roleNames={roleNames} />
            ))}
          </ul>
        )}
      </Shown>
    </Section>
  );
}

function InviteRow({ invite, path, roleNames }: Pick<PeopleProps, 'path' | 'roleNames'> & { invite: Invite }) {
  const texts = useTexts();
  const say = useMailTexts();
  const t = texts.people;
  const own = `${path}/invites/${invite.identifier}`;
  const resend = useChange((api) => api.send<NewInvite>('POST', `${own}/resend`), [`${path}/invites`]);
  const revoke = useChange((api) => api.send('DELETE', own), [`${path}/invites`]);
  const [isAsking, setAsking] = useState(false);
  const [link, setLink] = useState<string>();
  const { sendsMail } = useFacts();
  function tell(url: string): void {
    if (sendsMail) sayDone(t.resent(invite.email));
    else setLink(url);
  }
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">{invite.email}</div>
        <div className="tw-small">
          {roleNames[invite.role]} · {say(t.sent)} <Time at={invite.sent_at} /> · {t.expires}{' '}
          <Time at={invite.expires_at} />
        </div>
      </div>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={say(t.resendTo)(invite.email)}
        loading={resend.isPending}
        onClick={() => resend.mutate(undefined, { onSuccess: ({ accept_url: url }) => tell(url) })}
      >
        {say(t.resend)}
      </Button>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={t.revokeOf(invite.email)}
        onClick={() => setAsking(true)}
      >
        {t.revoke}
      </Button>
      {resend.error !== null && <Problem error={resend.error} />}
      <Confirm
        isOpen={isAsking}
        title={t.revokeTitle(invite.email)}
        action={t.revoke}
        onClose={() => setAsking(false)}
        onConfirm={() => revoke.mutateAsync(undefined)}
      >
        {t.revokeEffect}
      </Confirm>
      <ShareLink title={t.linkTitle(invite.email)} link={link} what={t.link} onClose={() => setLink(undefined)}>
        {t.linkText(invite.email)}
      </ShareLink>
    </li>
  );
}

function InviteForm({
  path,
  roles,
  roleNames,
  roleHints,
  grantable = roles,
  onDone,
}: PeopleProps & { onDone(invite: NewInvite): void }) {
  const t = useTexts().people;
  const say = useMailTexts();
  const invite = useChange(
    (api, body: object) => api.send<NewInvite>('POST', `${path}/invites`, { body }),
    [`${path}/invites`],
  );
  const form = useForm({
    values: { email: '', role: grantable[0] ?? '' },
    async submit(body) {
      onDone(await invite.mutateAsync(body));
    },
    fieldOfCode: { already_exists: 'email' },
  });
  return (
    <FormBody form={form} submit={say(t.send)}>
      <TextInput label={t.email} type="email" autoComplete="off" data-autofocus {...form.text('email')} />
      <NativeSelect
        label={t.role}
        description={roleHints?.[form.values.role]}
        data={grantable.map((value) => ({ value, label: roleNames[value] ?? value }))}
        {...form.text('role')}
      />
    </FormBody>
  );
}
