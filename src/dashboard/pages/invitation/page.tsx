// An invitation to an organization or a project.
import { Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { AcceptedInvitation, InvitationPreview } from '../../../invitations/schema.ts';
import { useApi, useRead } from '../../api/hooks.ts';
import { Invitation } from '../../components/invitation.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useClearCache } from '../../shell/current-user.ts';
import { saveSelectedOrganization } from '../../shell/selected-organization.ts';
import { useTexts } from '../../texts/locale.ts';

export function Page() {
  const texts = useTexts();
  const t = texts.auth.invitation;
  const api = useApi();
  const navigate = useNavigate();
  const forget = useClearCache();
  const { kind, token } = useParams({ from: '/entry/invite/$kind/$token' });
  const path = `/invites/${encodeURIComponent(kind)}`;
  const preview = useRead<InvitationPreview>(`${path}/${encodeURIComponent(token)}/preview`, { isAnonymous: true });
  const { data } = preview;
  async function accept(): Promise<void> {
    const body = { invite_token: token };
    const accepted = await api.send<AcceptedInvitation>('POST', `${path}/accept`, { body });
    saveSelectedOrganization(accepted.organization_id);
    forget();
    showSuccess(t.accepted);
    if (accepted.project_id === null) await navigate({ to: '/' });
    else await navigate({ to: '/projects/$projectId', params: { projectId: accepted.project_id } });
  }
  return (
    <Invitation preview={preview} title={t.title(data?.organization_name ?? '')} accept={accept}>
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
