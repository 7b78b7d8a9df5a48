// An invitation into an organization or a project.
import { Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { AcceptedInvitation, InvitationPreview } from '../../../invitations/schema.ts';
import { useApi, useRead } from '../../api/api-context.ts';
import { Invitation } from '../../parts/invitation.tsx';
import { Time } from '../../parts/time.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { keepChosenOrganization } from '../../shell/chosen-organization.ts';
import { useForget } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';

export function Page() {
  const texts = useTexts();
  const t = texts.entry.invitation;
  const api = useApi();
  const navigate = useNavigate();
  const forget = useForget();
  const { kind, token } = useParams({ from: '/entry/invite/$kind/$token' });
  const path = `/invites/${encodeURIComponent(kind)}`;
  const preview = useRead<InvitationPreview>(`${path}/${encodeURIComponent(token)}/preview`, { isAnonymous: true });
  const { data } = preview;
  async function accept(): Promise<void> {
    const body = { invite_token: token };
    const accepted = await api.send<AcceptedInvitation>('POST', `${path}/accept`, { body });
    keepChosenOrganization(accepted.organization_id);
    forget();
    sayDone(t.accepted);
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
              <Time at={data.expires_at} />
            </dd>
          </dl>
        </>
      )}
    </Invitation>
  );
}
