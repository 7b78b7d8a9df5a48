// The members and pending invitations of an organization or a project.

import { Badge, Button, Modal, NativeSelect, Text } from '@mantine/core';
import { IconLink, IconLogout, IconMailForward, IconUserMinus, IconUserPlus, IconX } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { OrganizationInvitation, ProjectInvitation } from '../../invitations/schema.ts';
import type { OrganizationMember } from '../../organizations/members/schema.ts';
import type { ProjectMember } from '../../projects/members/schema.ts';
import { useChange, useReadAll } from '../api/hooks.ts';
import { organizationsPath, useCurrentUser } from '../shell/current-user.ts';
import { clearSelectedOrganization } from '../shell/selected-organization.ts';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';
import { ConfirmDialog } from './confirm.tsx';
import { useEmailText } from './email-texts.ts';
import { ErrorAlert } from './errors.tsx';
import { Initials } from './initials.tsx';
import { InviteDialog, type NewInvite } from './invite-dialog.tsx';
import { QueryContent, RowsSkeleton, Section } from './page.tsx';
import { PeopleSearchField, SEARCHED_FROM } from './people-search.tsx';
import { RowAction } from './row-action.tsx';
import { ShareLink } from './share-link.tsx';
import { RelativeTime, TimeInText } from './time.tsx';
import { showSuccess } from './toasts.ts';

type Member = OrganizationMember | ProjectMember;
type Invite = OrganizationInvitation | ProjectInvitation;

interface PeopleProps {
  /** `/organizations/{id}` or `/projects/{id}`. */
  path: string;
  /** Paths to invalidate after a change. */
  touches: readonly string[];
  roles: readonly string[];
  roleNames: Record<string, string>;
  roleHints?: Record<string, string>;
  hint?: string;
  /** Hides everything but the list of members. */
  isReadOnly?: boolean;
  /** The roles that the user may grant and change. */
  grantable?: readonly string[];
  /** The organization whose projects can be chosen in invitations. */
  organizationId?: string;
  /** What the members are searched for until the user types something else. */
  searchedFor?: string;
  /** Called when the user changes a search for `searchedFor`. */
  onSearchChange?(): void;
  /** Renders the head of a page that is about the members alone; by default they are a section with a heading. */
  renderHead?(count: number | undefined, invite: ReactNode): ReactNode;
}

/** Renders both lists. */
export function PeopleSection(props: PeopleProps) {
  const t = useTexts().people;
  const [isInviting, setInviting] = useState(false);
  /** Whether closing the dialog by accident would lose links that are shown once. */
  const [isHeld, setHeld] = useState(false);
  const [created, setCreated] = useState<NewInvite>();
  const { sendsMail } = useServerInfo();
  const { isReadOnly = false, hint, path, renderHead } = props;
  const members = useReadAll<Member>(`${path}/members`);
  const inviteButton = isReadOnly ? null : (
    <Button
      {...(renderHead === undefined && { variant: 'default' })}
      leftSection={<IconUserPlus size={16} />}
      onClick={() => setInviting(true)}
    >
      {t.invite}
    </Button>
  );
  function handleInvited(invite: NewInvite): void {
    setInviting(false);
    if (sendsMail) showSuccess(t.invited(invite.email));
    else setCreated(invite);
  }
  return (
    <>
      {renderHead === undefined ? (
        <Section title={t.members} {...(hint === undefined ? {} : { hint })} actions={inviteButton}>
          <Members {...props} members={members} />
        </Section>
      ) : (
        <>
          {renderHead(members.data?.length, inviteButton)}
          <Members {...props} members={members} />
        </>
      )}
      {!isReadOnly && <Invites {...props} />}
      <Modal
        opened={isInviting}
        onClose={() => !isHeld && setInviting(false)}
        withCloseButton={!isHeld}
        title={t.inviteTitle}
        centered
        size="lg"
      >
        {isInviting && (
          <InviteDialog
            path={path}
            roleNames={props.roleNames}
            roleHints={props.roleHints}
            grantable={props.grantable ?? props.roles}
            organizationId={props.organizationId}
            onInvited={handleInvited}
            onHold={setHeld}
            onClose={() => setInviting(false)}
          />
        )}
      </Modal>
      <ShareLink
        title={t.linkTitle(created?.email ?? '')}
        link={created?.accept_url}
        what={t.link}
        onClose={() => setCreated(undefined)}
      >
        {t.linkText(created?.email ?? '')}
      </ShareLink>
    </>
  );
}

function Members({
  members,
  ...props
}: PeopleProps & { members: Pick<UseQueryResult<Member[]>, 'data' | 'error' | 'refetch'> }) {
  const t = useTexts().people;
  return (
    <QueryContent read={members} loading={<RowsSkeleton rows={3} picture={28} hasCaption />}>
      {(rows) =>
        rows.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t.none}
          </Text>
        ) : (
          <MemberList rows={rows} {...props} />
        )
      }
    </QueryContent>
  );
}

function MemberList({ rows, ...props }: PeopleProps & { rows: readonly Member[] }) {
  const t = useTexts().people;
  const { searchedFor = '', onSearchChange } = props;
  const [text, setText] = useState(searchedFor);
  // Stays when the search is changed, also if the list is short.
  const keepsSearch = useRef(false);
  if (searchedFor !== '') keepsSearch.current = true;
  useEffect(() => {
    if (searchedFor !== '') setText(searchedFor);
  }, [searchedFor]);
  function change(wanted: string): void {
    setText(wanted);
    if (searchedFor !== '') onSearchChange?.();
  }
  const term = text.trim().normalize('NFC').toLowerCase();
  const isMatch = ({ display_name: name, email }: Member) =>
    [name, email].some((value) => value.toLowerCase().includes(term));
  const found = rows.filter(isMatch);
  const isSearchable = rows.length >= SEARCHED_FROM || keepsSearch.current;
  return (
    <>
      {isSearchable && (
        <PeopleSearchField text={text} onChange={change}>
          {term !== '' && t.search.found(found.length)}
        </PeopleSearchField>
      )}
      <ul className="tw-list tw-people" aria-label={t.members}>
        {(isSearchable ? found : rows).map((member) => (
          <MemberRow key={member.developer_id} member={member} {...props} />
        ))}
      </ul>
    </>
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
  const { me } = useCurrentUser();
  const { base } = useServerInfo();
  const [isConfirming, setConfirming] = useState(false);
  const [lowerRoleTo, setLowerRoleTo] = useState<string>();
  const own = `${path}/members/${member.developer_id}`;
  const isMe = member.developer_id === me.identifier;
  const change = useChange((api, role: string) => api.send('PATCH', own, { body: { role } }), touches);
  const lower = useChange((api, role: string) => api.send('PATCH', own, { body: { role } }), touches);
  const remove = useChange((api) => api.send('DELETE', own), touches);
  const mayChange = !isReadOnly && grantable.includes(member.role);
  const restore = () => lower.mutateAsync(member.role);
  const changeTo = (role: string) => change.mutate(role, { onSuccess: () => showSuccess(texts.common.saved, restore) });
  const isLowering = (role: string) => roles.indexOf(role) < roles.indexOf(member.role);
  const lowerRoleTitle = (role: string) =>
    isMe ? t.lowerRoleTitle(role) : t.lowerRoleOfTitle(member.display_name, role);
  return (
    <li>
      <Initials id={member.developer_id} name={member.display_name} size={28} />
      <div className="tw-grow">
        <div className="tw-strong">
          {member.display_name} {isMe && <Badge color="gray">{t.you}</Badge>}
        </div>
        <div className="tw-small">{member.email}</div>
      </div>
      <div className="tw-row-end">
        {mayChange && grantable.length > 1 ? (
          <NativeSelect
            size="xs"
            aria-label={t.roleOf(member.display_name)}
            value={member.role}
            disabled={change.isPending}
            data={grantable.map((value) => ({ value, label: roleNames[value] ?? value }))}
            onChange={({ currentTarget: { value } }) => (isLowering(value) ? setLowerRoleTo(value) : changeTo(value))}
          />
        ) : (
          <Badge color="gray">{roleNames[member.role] ?? member.role}</Badge>
        )}
        {(mayChange || isMe) && (
          <RowAction
            icon={isMe ? IconLogout : IconUserMinus}
            color="red"
            label={isMe ? t.leave : t.removeOf(member.display_name)}
            onClick={() => setConfirming(true)}
          >
            {isMe ? t.leave : texts.common.remove}
          </RowAction>
        )}
      </div>
      {change.error !== null && <ErrorAlert error={change.error} />}
      <ConfirmDialog
        isOpen={isConfirming}
        title={isMe ? t.leaveTitle : t.removeTitle(member.display_name)}
        action={isMe ? t.leave : texts.common.remove}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          if (!isMe) return;
          if (path.startsWith(organizationsPath)) clearSelectedOrganization();
          location.assign(`${base}/`);
        }}
      >
        {isMe ? t.leaveEffect : t.removeEffect(member.email)}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={lowerRoleTo !== undefined}
        title={lowerRoleTitle(roleNames[lowerRoleTo ?? ''] ?? '')}
        action={isMe ? t.lowerRole : t.changeRole}
        onClose={() => setLowerRoleTo(undefined)}
        onConfirm={async () => {
          if (lowerRoleTo !== undefined) await lower.mutateAsync(lowerRoleTo);
          // Users who lower their own role can't raise it again.
          showSuccess(texts.common.saved, isMe ? undefined : restore);
        }}
      >
        {isMe && t.lowerRoleEffect(roleNames[member.role] ?? '')} {isMe ? t.ownRoleEnds : t.roleEnds}
      </ConfirmDialog>
    </li>
  );
}

function Invites({ path, roleNames }: PeopleProps) {
  const t = useTexts().people;
  const invites = useReadAll<Invite>(`${path}/invites`, { query: { include: 'ended' } });
  if (invites.data?.length === 0) return null;
  return (
    <Section title={t.invitations}>
      <QueryContent read={invites} loading={<RowsSkeleton rows={1} picture={28} hasCaption />}>
        {(rows) => (
          <ul className="tw-list tw-people">
            {rows.map((invite) => (
              <InviteRow key={invite.identifier} invite={invite} path={path} roleNames={roleNames} />
            ))}
          </ul>
        )}
      </QueryContent>
    </Section>
  );
}

function InviteRow({ invite, path, roleNames }: Pick<PeopleProps, 'path' | 'roleNames'> & { invite: Invite }) {
  const texts = useTexts();
  const emailText = useEmailText();
  const t = texts.people;
  const own = `${path}/invites/${invite.identifier}`;
  const resend = useChange((api) => api.send<NewInvite>('POST', `${own}/resend`), [`${path}/invites`]);
  const revoke = useChange((api) => api.send('DELETE', own), [`${path}/invites`]);
  const [isConfirming, setConfirming] = useState(false);
  const [link, setLink] = useState<string>();
  const { sendsMail } = useServerInfo();
  const isOpen = invite.state === 'open';
  const projects = 'projects' in invite ? invite.projects.length : 0;
  function showResult(url: string): void {
    // If the last email failed, the next one may fail too.
    if (sendsMail && invite.email_state !== 'failed') showSuccess(t.resent(invite.email));
    else setLink(url);
  }
  return (
    <li>
      <Initials id={invite.identifier} name={invite.email} size={28} />
      <div className="tw-grow">
        <div className="tw-strong">
          {invite.email} <InviteState invite={invite} />
        </div>
        <div className="tw-small">
          {roleNames[invite.role]}
          {projects > 0 && ` · ${t.projectCount(projects)}`} · {emailText(t.sent)} <RelativeTime at={invite.sent_at} />
          {isOpen && (
            <>
              {' · '}
              <TimeInText text={t.expires} at={invite.expires_at} />
            </>
          )}
        </div>
        {invite.state === 'lapsed' && <div className="tw-small">{t.lapsedReason}</div>}
        {isOpen && invite.email_state === 'failed' && <div className="tw-small">{t.emailFailedHint}</div>}
      </div>
      <div className="tw-row-end">
        {isOpen && (
          <>
            <RowAction
              icon={sendsMail ? IconMailForward : IconLink}
              variant="default"
              label={emailText(t.resendTo)(invite.email)}
              loading={resend.isPending}
              onClick={() => resend.mutate(undefined, { onSuccess: ({ accept_url: url }) => showResult(url) })}
            >
              {emailText(t.resend)}
            </RowAction>
            <RowAction icon={IconX} color="red" label={t.revokeOf(invite.email)} onClick={() => setConfirming(true)}>
              {t.revoke}
            </RowAction>
          </>
        )}
      </div>
      {resend.error !== null && <ErrorAlert error={resend.error} />}
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.revokeTitle(invite.email)}
        action={t.revoke}
        onClose={() => setConfirming(false)}
        onConfirm={() => revoke.mutateAsync(undefined)}
      >
        {t.revokeEffect}
      </ConfirmDialog>
      <ShareLink title={t.linkTitle(invite.email)} link={link} what={t.link} onClose={() => setLink(undefined)}>
        {t.linkText(invite.email)}
      </ShareLink>
    </li>
  );
}

/** What happened to an invitation, as far as it isn't just waiting for an answer. */
function InviteState({ invite: { state, email_state: emailState } }: { invite: Invite }) {
  const t = useTexts().people.states;
  if (state === 'declined') return <Badge color="gray">{t.declined}</Badge>;
  if (state === 'lapsed') return <Badge color="yellow">{t.lapsed}</Badge>;
  if (emailState === 'failed') return <Badge color="red">{t.emailFailed}</Badge>;
  if (emailState === 'pending') return <Badge color="gray">{t.emailPending}</Badge>;
  return null;
}
