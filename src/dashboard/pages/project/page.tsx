// The channels of a project.
import { ActionIcon, Badge, Button, Modal, Text } from '@mantine/core';
import { IconLock, IconPlus, IconQrcode, IconWorld } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import type { Preview } from '../../../channels/preview-schema.ts';
import type { Channel } from '../../../channels/schema.ts';
import type { DeviceCount } from '../../../compatibility/status-line.ts';
import type { ChannelOverview } from '../../../overviews/channel-schema.ts';
import { type Page as ListPage, useRead, useReadAll } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { StatusLine, useDeviceCounts } from '../../components/build-status.tsx';
import { orderChannels } from '../../components/channel-order.ts';
import { assignSigns, ChannelSign } from '../../components/channel-sign.tsx';
import { Copyable } from '../../components/copy.tsx';
import { LocalLinkHint } from '../../components/local-link.tsx';
import { EmptyState, PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { ReleaseAuthor } from '../../components/release-author.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { UploadButton } from '../../upload/drop-zone.tsx';
import { ChannelForm } from './channel-form.tsx';
import { Previews } from './previews.tsx';
import { inProject, useProject } from './project-context.ts';
import { packageEnding, uploadCommand } from './upload-command.ts';

export function Page() {
  const texts = useTexts();
  const t = texts.channels;
  const project = useProject();
  const query = inProject(project);
  const channels = useReadAll<ChannelOverview>('/channels/overview', { query });
  const previews = useReadAll<Preview>('/previews', { query });
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
      <QueryContent read={channels} loading={<RowsSkeleton rows={3} picture={28} hasCaption height={72} />}>
        {(rows) =>
          rows.length === 0 ? (
            <>
              <EmptyState drawing="channel" title={t.emptyTitle} text={t.emptyText} action={make} />
              <NoBuilds />
            </>
          ) : (
            <>
              <Channels rows={withoutPreviews(rows, previews.data)} onShowQr={setShownQr} />
              <Previews previews={previews.data ?? []} overviews={rows} />
            </>
          )
        }
      </QueryContent>
      <Modal opened={isCreating} onClose={() => setCreating(false)} title={t.create} centered>
        {isCreating && <ChannelForm onDone={() => setCreating(false)} />}
      </Modal>
      <Modal opened={shownQr !== undefined} onClose={() => setShownQr(undefined)} title={shownQr?.name} centered>
        {shownQr !== undefined && (
          <div className="tw-qr-sheet">
            <QrCode text={shownQr.install_url} label={t.qrLabel(shownQr.name)} size={240} />
            <Text size="sm">{shownQr.public ? t.qrHint : t.whoTesters}</Text>
            <Copyable text={shownQr.install_url} what={t.publicLink} />
            <LocalLinkHint link={shownQr.install_url} />
          </div>
        )}
      </Modal>
    </>
  );
}

/** Previews have a list of their own. */
function withoutPreviews(rows: readonly ChannelOverview[], previews: readonly Preview[] = []): ChannelOverview[] {
  const owned = new Set(previews.map(({ channel }) => channel.identifier));
  return rows.filter(({ channel }) => !owned.has(channel.identifier));
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
      drawing="upload"
      title={t.emptyTitle}
      text={t.emptyText(packageEnding(project))}
      command={uploadCommand(project)}
    />
  );
}

interface ChannelsProps {
  rows: readonly ChannelOverview[];
  onShowQr(channel: Channel): void;
}

/** The channels in the order of promotion, along a dashed line. */
function Channels({ rows, onShowQr }: ChannelsProps) {
  const signs = assignSigns(rows.map(({ channel }) => channel));
  const releases = rows.flatMap(({ current_release: release }) => release ?? []);
  const counts = useDeviceCounts(releases.map(({ build }) => build));
  const byId = new Map(rows.map((overview) => [overview.channel.identifier, overview]));
  const order = orderChannels(
    rows.map(({ channel }) => channel),
    releases,
  );
  return (
    <ol className="tw-channels">
      {order.map((id) => {
        const overview = byId.get(id);
        if (overview === undefined) return null;
        const buildId = overview.current_release?.build.identifier;
        return (
          <li key={id}>
            <ChannelRow
              overview={overview}
              sign={signs.get(id) ?? ''}
              count={buildId === undefined ? undefined : counts.get(buildId)}
              onShowQr={() => onShowQr(overview.channel)}
            />
          </li>
        );
      })}
    </ol>
  );
}

interface ChannelRowProps {
  overview: ChannelOverview;
  sign: string;
  count: DeviceCount | undefined;
  onShowQr(): void;
}

function ChannelRow({ overview, sign, count, onShowQr }: ChannelRowProps) {
  const texts = useTexts();
  const t = texts.channels;
  const { channel, current_release: release } = overview;
  const params = { projectId: channel.project_id, channelId: channel.identifier };
  const Icon = channel.public ? IconWorld : IconLock;
  return (
    <>
      <ChannelSign sign={sign} isLarge isOff={release === null} />
      <div className="tw-channels-name">
        <h2>
          <Link to="/projects/$projectId/channels/$channelId" params={params} className="tw-cover-link">
            {channel.name}
          </Link>
        </h2>
        <small>
          <Icon size={12} stroke={1.75} aria-hidden /> {channel.public ? t.isPublic : t.isPrivate}
        </small>
      </div>
      {release === null ? (
        <p className="tw-quiet tw-channels-build">{t.nothingReleased}</p>
      ) : (
        <div className="tw-channels-build">
          <div className="tw-line-head">
            <b>{formatBuild(release.build)}</b>
            {release.mandatory && <Badge color="orange">{t.mandatory}</Badge>}
          </div>
          <StatusLine build={release.build} count={count} />
        </div>
      )}
      <Adoption overview={overview} />
      <div className="tw-channels-who">
        {release !== null && (
          <>
            <ReleaseAuthor release={release} />
            <small>
              <RelativeTime at={release.created_at} />
            </small>
          </>
        )}
      </div>
      <div className="tw-channels-end">
        {release !== null && (
          <ActionIcon
            className="tw-above"
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`${t.qr}: ${channel.name}`}
            title={t.qr}
            onClick={onShowQr}
          >
            <IconQrcode size={18} stroke={1.75} />
          </ActionIcon>
        )}
      </div>
    </>
  );
}

/** How many testers have the current release. Without testers, one sentence instead of an empty bar. */
function Adoption({ overview: { testers, adoption } }: { overview: ChannelOverview }) {
  const t = useTexts().channels.card;
  if (adoption === null) {
    return <div className="tw-channels-adoption">{testers === 0 ? t.noTesters : t.testers(testers)}</div>;
  }
  if (testers === 0) {
    return (
      <div className="tw-channels-adoption">
        {adoption.downloads === 0 ? t.noTesters : t.downloads(adoption.downloads)}
      </div>
    );
  }
  const have = Math.min(adoption.testers, testers);
  return (
    <div className="tw-channels-adoption">
      <span>{t.adoption(have, testers)}</span>
      <span className="tw-share-bar" aria-hidden>
        <i data-part="have" style={{ width: `${(have / testers) * 100}%` }} />
        {have < testers && <i data-part="unknown" style={{ width: `${100 - (have / testers) * 100}%` }} />}
      </span>
    </div>
  );
}
