// The SDK apps of the project.
import { Badge, Button, Modal } from '@mantine/core';
import { IconPackage, IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { SdkApp } from '../../../sdk/app-schema.ts';
import { useReadAll, useReadPages } from '../../api/hooks.ts';
import { Copyable } from '../../components/copy.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { EmptyState, PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { requestCommand } from '../../components/request-command.ts';
import { RelativeTime } from '../../components/time.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';
import { SdkAppForm } from './sdk-app-form.tsx';
import { SecretDialog, type ShownSecret } from './secret-dialog.tsx';

export function Page() {
  const t = useTexts().sdk;
  const project = useProject();
  const navigate = useNavigate();
  const query = inProject(project);
  const list = useReadPages<SdkApp>('/sdk-apps', { query });
  const channels = useReadAll<Channel>('/channels', { query });
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<ShownSecret>();
  const mayManage = mayInProject(project, 'sdk_app.manage');
  const createButton =
    mayManage && channels.data?.length ? (
      <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
        {t.create}
      </Button>
    ) : undefined;
  return (
    <>
      <PageHeader title={t.title} actions={list.rows?.length ? createButton : undefined} />
      <QueryContent read={{ ...list, data: list.rows }} loading={<RowsSkeleton rows={3} picture={28} hasCaption />}>
        {(rows) =>
          rows.length === 0 ? (
            <NoApps channels={channels.data} mayManage={mayManage} createButton={createButton} />
          ) : (
            <div className="tw-section">
              <ul className="tw-list" aria-label={t.title}>
                {rows.map((app) => (
                  <Row
                    key={app.identifier}
                    app={app}
                    channel={channels.data?.find(({ identifier }) => identifier === app.channel_id)}
                  />
                ))}
              </ul>
              <LoadMore list={list} />
            </div>
          )
        }
      </QueryContent>
      <Modal opened={isCreating} onClose={() => setCreating(false)} title={t.create} centered>
        {isCreating && channels.data !== undefined && (
          <SdkAppForm
            channels={channels.data}
            onDone={({ app_secret: secret, ...app }) => {
              setCreating(false);
              if (secret !== undefined) setCreated({ app, secret });
            }}
          />
        )}
      </Modal>
      <SecretDialog
        shown={created}
        onClose={() => {
          if (created === undefined) return;
          setCreated(undefined);
          const params = { projectId: project.identifier, sdkAppId: created.app.identifier };
          void navigate({ to: '/projects/$projectId/sdk/$sdkAppId', params });
        }}
      />
    </>
  );
}

interface NoAppsProps {
  /** Undefined while they are loading. */
  channels: readonly Channel[] | undefined;
  mayManage: boolean;
  createButton: ReactNode;
}

function NoApps({ channels, mayManage, createButton }: NoAppsProps) {
  const t = useTexts().sdk;
  const { base } = useServerInfo();
  const project = useProject();
  const query = inProject(project);
  if (!mayManage) return <EmptyState drawing="package" title={t.emptyTitle} text={t.emptyReadOnly} />;
  if (channels?.length === 0) {
    return (
      <EmptyState
        drawing="package"
        title={t.emptyTitle}
        text={t.noChannels}
        action={
          <Link to="/projects/$projectId" params={{ projectId: project.identifier }} className="tw-link">
            {t.toChannels}
          </Link>
        }
      />
    );
  }
  const path = `/sdk-apps?organization_id=${query.organization_id}&project_id=${query.project_id}`;
  const example = { name: project.name, channel_id: channels?.[0]?.identifier ?? '' };
  return (
    <EmptyState
      drawing="package"
      title={t.emptyTitle}
      text={t.emptyText}
      action={createButton}
      command={requestCommand(`${location.origin}${base}`, 'POST', path, example)}
    />
  );
}

function Row({ app, channel }: { app: SdkApp; channel: Channel | undefined }) {
  const t = useTexts().sdk;
  const projectId = app.project_id;
  return (
    <li>
      <span className="tw-tone">
        <IconPackage size={16} stroke={1.75} aria-hidden />
      </span>
      <div className="tw-grow">
        <Link
          to="/projects/$projectId/sdk/$sdkAppId"
          params={{ projectId, sdkAppId: app.identifier }}
          className="tw-link tw-strong"
        >
          {app.name}
        </Link>{' '}
        {app.revoked_at !== null && <Badge color="red">{t.revoked}</Badge>}
        <div className="tw-small">
          {channel?.name ?? t.unknownChannel} · {t.installCount(app.install_count)} · {t.created}{' '}
          <RelativeTime at={app.created_at} />
        </div>
      </div>
      <Copyable text={app.app_key} what={t.key} />
    </li>
  );
}
