// The page of an SDK app: details, actions and enrolled installs.
import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { SdkApp } from '../../../sdk/app-schema.ts';
import { useRead, useReadAll } from '../../api/hooks.ts';
import { Copyable } from '../../components/copy.tsx';
import { useMemberNames } from '../../components/member-names.ts';
import { FactsSkeleton, PageHeader, QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';
import { type SdkAppDialog, SdkAppDialogs } from './dialogs.tsx';
import { Installs } from './installs.tsx';

export function Page() {
  const { sdkAppId } = useParams({ from: '/shell/projects/$projectId/sdk/$sdkAppId' });
  const app = useRead<SdkApp>(`/sdk-apps/${sdkAppId}`);
  return (
    <QueryContent
      read={app}
      loading={
        <>
          <FactsSkeleton rows={4} />
          <RowsSkeleton rows={4} picture={0} />
        </>
      }
    >
      {(data) => <SdkAppPage key={data.identifier} app={data} />}
    </QueryContent>
  );
}

function SdkAppPage({ app }: { app: SdkApp }) {
  const texts = useTexts();
  const t = texts.sdk;
  const project = useProject();
  const nameOf = useMemberNames(project.organization_id);
  const channels = useReadAll<Channel>('/channels', { query: inProject(project) });
  const channel = channels.data?.find(({ identifier }) => identifier === app.channel_id);
  const [dialog, setDialog] = useState<SdkAppDialog>();
  const isRevoked = app.revoked_at !== null;
  const creator = nameOf(app.created_by);
  return (
    <>
      <PageHeader
        title={app.name}
        actions={
          mayInProject(project, 'sdk_app.manage') && (
            <>
              {!isRevoked && (
                <>
                  <Button variant="default" onClick={() => setDialog('edit')}>
                    {t.edit}
                  </Button>
                  <Button variant="default" onClick={() => setDialog('rotate')}>
                    {t.rotate}
                  </Button>
                  <Button variant="subtle" color="red" onClick={() => setDialog('revoke')}>
                    {t.revoke}
                  </Button>
                </>
              )}
              <Button variant="subtle" color="red" onClick={() => setDialog('delete')}>
                {t.delete}
              </Button>
            </>
          )
        }
      />
      {app.revoked_at !== null && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t.revoked}>
          {t.revokedText} <RelativeTime at={app.revoked_at} />
        </Alert>
      )}
      <dl className="tw-fact-lines">
        <div>
          <dt>{t.key}</dt>
          <dd>
            <Copyable text={app.app_key} what={t.key} />
          </dd>
        </div>
        <div>
          <dt>{t.identifier}</dt>
          <dd>
            <Copyable text={app.identifier} what={t.identifier} />
          </dd>
        </div>
        <div>
          <dt>{t.channel}</dt>
          <dd>
            {channel === undefined ? (
              '…'
            ) : (
              <Link
                to="/projects/$projectId/channels/$channelId"
                params={{ projectId: project.identifier, channelId: channel.identifier }}
                className="tw-text-link"
              >
                {channel.name}
              </Link>
            )}
          </dd>
        </div>
        <div>
          <dt>{t.createdLabel}</dt>
          <dd>
            <span>
              <RelativeTime at={app.created_at} />
              {creator !== undefined && ` ${t.createdBy} ${creator}`}
            </span>
          </dd>
        </div>
        {app.secret_rotated_at !== null && (
          <div>
            <dt>{t.rotated}</dt>
            <dd>
              <RelativeTime at={app.secret_rotated_at} />
            </dd>
          </div>
        )}
      </dl>
      <Section title={t.installs.title} hint={t.installs.hint} count={app.install_count}>
        <Installs app={app} />
      </Section>
      <SdkAppDialogs
        app={app}
        channels={channels.data ?? []}
        dialog={dialog}
        onClose={() => setDialog((open) => (open === dialog ? undefined : open))}
      />
    </>
  );
}
