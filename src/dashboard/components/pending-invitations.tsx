// The open invitations of the user, on the first page. The verified address is enough to accept them.

import { Button, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { AcceptedInvitation, OwnInvitation } from '../../invitations/schema.ts';
import { useChange, useReadPages } from '../api/hooks.ts';
import { mePath, organizationsPath, useCurrentUser } from '../shell/current-user.ts';
import { useTexts } from '../texts/locale.ts';
import { ErrorAlert } from './errors.tsx';
import { LoadMore } from './load-more.tsx';
import { explainRefusedInvitation } from './lock-errors.ts';
import { ContinueToProvider, requiredLogin } from './required-login.tsx';
import { TimeInText } from './time.tsx';
import { showSuccess } from './toasts.ts';

const path = `${mePath}/invitations`;
const PAGE = 20;

/** Renders nothing if there are none. */
export function PendingInvitations() {
  const t = useTexts().invitation;
  const own = useReadPages<OwnInvitation>(path, { query: { limit: PAGE } });
  const items = own.rows ?? [];
  if (items.length === 0) return null;
  return (
    <section className="tw-pending" aria-labelledby="pending-invitations">
      <h2 id="pending-invitations">{t.pending(items.length)}</h2>
      <ul className="tw-list">
        {items.map((invitation) => (
          <Row key={invitation.identifier} invitation={invitation} />
        ))}
      </ul>
      <LoadMore list={own} />
    </section>
  );
}

function Row({ invitation }: { invitation: OwnInvitation }) {
  const texts = useTexts();
  const t = texts.invitation;
  const navigate = useNavigate();
  const { me, switchOrganization } = useCurrentUser();
  const {
    identifier,
    kind,
    organization_name: organization,
    project_name: project,
    inviter_name: inviter,
  } = invitation;
  const accept = useChange(
    (api) => api.send<AcceptedInvitation>('POST', `${path}/${identifier}/accept`),
    [path, organizationsPath, '/projects'],
  );
  const decline = useChange((api) => api.send('POST', `${path}/${identifier}/decline`), [path]);
  const roleNames = kind === 'organization' ? texts.roles.organization : texts.roles.project;
  function enter(accepted: AcceptedInvitation): void {
    switchOrganization(accepted.organization_id);
    showSuccess(t.accepted);
    const projectId = accepted.project_id ?? accepted.projects[0]?.project_id;
    if (projectId === undefined) void navigate({ to: '/' });
    else void navigate({ to: '/projects/$projectId', params: { projectId } });
  }
  const error = accept.error ?? decline.error;
  const loginUrl = requiredLogin(error);
  const name = project ?? organization;
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">
          {project === null ? t.toOrganization(inviter, organization) : t.toProject(inviter, project, organization)}
        </div>
        <Text size="sm" c="dimmed" component="div">
          {roleNames[invitation.role]}
          {invitation.projects.length > 0 && ` · ${invitation.projects.map((entry) => entry.name).join(', ')}`} ·{' '}
          <TimeInText text={t.pendingExpires} at={invitation.expires_at} />
        </Text>
      </div>
      <div className="tw-row-end">
        <Button
          size="compact-sm"
          variant="filled"
          aria-label={t.acceptOf(name)}
          loading={accept.isPending}
          disabled={decline.isPending}
          onClick={() => accept.mutate(undefined, { onSuccess: enter })}
        >
          {t.acceptShort}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.declineOf(name)}
          loading={decline.isPending}
          disabled={accept.isPending}
          onClick={() => decline.mutate(undefined, { onSuccess: () => showSuccess(t.declined) })}
        >
          {t.decline}
        </Button>
      </div>
      {error !== null && loginUrl === undefined && <ErrorAlert error={explainRefusedInvitation(error, t)} />}
      {loginUrl !== undefined && <ContinueToProvider loginUrl={loginUrl} email={me.email} />}
    </li>
  );
}
