// An invitation to an organization or a project.
import { Text } from '@mantine/core';
import { useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import type { AcceptedInvitation, InvitationPreview } from '../../../invitations/schema.ts';
import { useApi, useRead } from '../../api/hooks.ts';
import { Invitation } from '../../components/invitation.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useForgetSession } from '../../shell/current-user.ts';
import { saveSelectedOrganization } from '../../shell/selected-organization.ts';
import { useTexts } from '../../texts/locale.ts';
import { Join } from './join-form.tsx';

export function Page() {
  const texts = useTexts();
  const t = texts.invitation;
  const api = useApi();
  const navigate = useNavigate();
  const forget = useForgetSession();
  const here = useRouterState({ select: ({ location }) => location.href });
  const { kind, token } = useParams({ from: '/entry/invite/$kind/$token' });
  const path = `/invites/${encodeURIComponent(kind)}`;
  const [isEntering, setEntering] = useState(false);
  // Once it is accepted, the link shows nothing anymore.
  const preview = useRead<InvitationPreview>(`${path}/${encodeURIComponent(token)}/preview`, {
    isAnonymous: true,
    isEnabled: !isEntering,
  });
  const { data } = preview;
  async function enter(organizationId: string, projectId: string | undefined): Promise<void> {
    setEntering(true);
    saveSelectedOrganization(organizationId);
    forget();
    showSuccess(t.accepted);
    if (projectId === undefined) await navigate({ to: '/' });
    else await navigate({ to: '/projects/$projectId', params: { projectId } });
  }
  async function accept(): Promise<void> {
    const body = { invite_token: token };
    const accepted = await api.send<AcceptedInvitation>('POST', `${path}/accept`, { body });
    await enter(accepted.organization_id, accepted.project_id ?? accepted.projects[0]?.project_id);
  }
  const offer = data?.sign_up ?? undefined;
  return (
    <Invitation
      preview={preview}
      title={t.title(data?.organization_name ?? '')}
      next={{ to: '/', text: texts.errors.home }}
      accept={accept}
      email={offer?.email}
      join={
        data !== undefined &&
        offer !== undefined && (
          <Join
            preview={data}
            offer={offer}
            token={token}
            here={here}
            onJoined={() => void enter(data.organization_id, data.project_id ?? data.projects[0]?.project_id)}
          />
        )
      }
    >
      {data !== undefined && (
        <>
          <Text>
            {data.project_name === null
              ? t.toOrganization(data.inviter_name, data.organization_name)
              : t.toProject(data.inviter_name, data.project_name, data.organization_name)}
          </Text>
          <dl className="tw-facts">
            <dt>{t.role}</dt>
            <dd>{(data.kind === 'organization' ? texts.roles.organization : texts.roles.project)[data.role]}</dd>
            {data.projects.length > 0 && (
              <>
                <dt>{t.projects}</dt>
                <dd>{data.projects.map(({ name, role }) => `${name} (${texts.roles.project[role]})`).join(', ')}</dd>
              </>
            )}
            <dt>{t.expires}</dt>
            <dd>
              <RelativeTime at={data.expires_at} />
            </dd>
          </dl>
        </>
      )}
    </Invitation>
  );
}
