// The channels of a project.
import { Badge, Button, Modal, Text } from '@mantine/core';
import { IconBroadcast, IconPlus, IconQrcode, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import type { Channel } from '../../../channels/schema.ts';
import type { ChannelOverview } from '../../../overviews/channel-schema.ts';
import { type Page as ListPage, useRead, useReadAll } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { formatBuild, isUninstallable } from '../../components/build-name.ts';
import { StatusLine } from '../../components/build-status.tsx';
import { Copyable } from '../../components/copy.tsx';
import { EmptyState, PageHeader, QueryContent } from '../../components/page.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { UploadButton } from '../../upload/drop-zone.tsx';
import { ChannelForm } from './channel-form.tsx';
import { inProject, useProject } from './project-context.ts';
import { packageEnding, uploadCommand } from './upload-command.ts';

export function Page() {
  const texts = useTexts();
  const t = texts.channels;
  const project = useProject();
  const query = inProject(project);
  const channels = useReadAll<ChannelOverview>('/channels/overview', { query });
  const [isCreating, setCreating] = useState(false);
  const [shownQr, setShownQr] = useState<Channel>();
  const mayEdit = mayInProject(project, 'channel.edit');
  const make = mayEdit ? (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  ) : null;
  return (
    <>
      <PageHeader
        title={t.title}
        hint={project.description ?? undefined}
        actions={
          <>
            {channels.data?.length ? make : null}
            <UploadButton project={project} />
          </>
        }
      />
      <QueryContent read={channels}>
        {(rows) =>
          rows.length === 0 ? (
            <>
              <EmptyState
                icon={<IconBroadcast size={40} stroke={1.4} aria-hidden />}
                title={t.emptyTitle}
                text={t.emptyText}
                action={make}
              />
              <NoBuilds />
            </>
          ) : (
            <ul className="tw-cards">
              {rows.map((overview) => (
                <li key={overview.channel.identifier}>
                  <ChannelCard overview={overview} onShowQr={() => setShownQr(overview.channel)} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryContent>
      <Modal opened={isCreating} onClose={() => setCreating(false)} title={t.create} centered>
        {isCreating && <ChannelForm onDone={() => setCreating(false)} />}
      </Modal>
      <Modal opened={shownQr !== undefined} onClose={() => setShownQr(undefined)} title={shownQr?.name} centered>
        {shownQr?.install_url && (
          <div className="tw-qr-sheet">
            <QrCode text={shownQr.install_url} label={t.qrLabel(shownQr.name)} size={240} />
            <Text size="sm">{t.qrHint}</Text>
            <Copyable text={shownQr.install_url} what={t.publicLink} />
          </div>
        )}
      </Modal>
    </>
  );
}

/** Shown before the first build: how to upload one. */
function NoBuilds() {
  const texts = useTexts();
  const t = texts.builds;
  const project = useProject();
  const builds = useRead<ListPage<Build>>('/builds', { query: { ...inProject(project), limit: 1 } });
  if (builds.data === undefined || builds.data.items.length > 0 || !mayInProject(project, 'build.upload')) return null;
  return (
    <EmptyState
      icon={<IconUpload size={40} stroke={1.4} aria-hidden />}
      title={t.emptyTitle}
      text={t.emptyText(packageEnding(project))}
      command={uploadCommand(project)}
    />
  );
}

function ChannelCard({ overview, onShowQr }: { overview: ChannelOverview; onShowQr(): void }) {
  const t = useTexts().channels;
  const { channel, current_release: release } = overview;
  return (
    <article className="tw-card tw-channel-card">
      <div className="tw-row">
        <h2 className="tw-grow tw-card-title">
          <Link
            to="/projects/$projectId/channels/$channelId"
            params={{ projectId: channel.project_id, channelId: channel.identifier }}
            className="tw-cover-link"
          >
            {channel.name}
          </Link>
        </h2>
        {channel.public && (
          <Badge variant="light" color="green">
            {t.isPublic}
          </Badge>
        )}
      </div>
      {release === null ? (
        <Text c="dimmed" size="sm">
          {t.nothingReleased}
        </Text>
      ) : (
        <div className="tw-row">
          <AppIcon src={release.build.icon_url} name={channel.name} size={44} />
          <div className="tw-grow">
            <Text fw={600}>{formatBuild(release.build)}</Text>
            <Text size="sm" c="dimmed">
              <RelativeTime at={release.created_at} />
              {release.mandatory && ` · ${t.mandatory}`}
            </Text>
            {isUninstallable(release.build) && <StatusLine build={release.build} />}
          </div>
          {channel.install_url !== null && (
            <Button
              className="tw-above"
              variant="subtle"
              size="compact-sm"
              leftSection={<IconQrcode size={18} />}
              onClick={onShowQr}
            >
              {t.qr}
            </Button>
          )}
        </div>
      )}
      <Adoption overview={overview} />
    </article>
  );
}

/** The number of testers, and how many have the current release. */
function Adoption({ overview: { testers, adoption } }: { overview: ChannelOverview }) {
  const t = useTexts().channels.card;
  return (
    <div className="tw-adoption">
      <p>
        <span>{adoption === null || testers === 0 ? t.testers(testers) : t.adoption(adoption.testers, testers)}</span>
        {adoption !== null && <span>{t.downloads(adoption.downloads)}</span>}
      </p>
      {adoption !== null && testers > 0 && (
        <progress value={adoption.testers} max={testers} aria-label={t.adoptionLabel} />
      )}
    </div>
  );
}
