// The page of a channel: current release, install link, usage, testers and history.
import { ActionIcon, Badge, Button, Menu, Modal, Skeleton } from '@mantine/core';
import { IconBolt, IconBroadcast, IconDots, IconLock, IconWorld } from '@tabler/icons-react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { Release } from '../../../releases/schema.ts';
import type { ChannelTester } from '../../../testers/roster/schema.ts';
import { useChange, useRead, useReadAll, useReadPages } from '../../api/hooks.ts';
import { orderChannels } from '../../components/channel-order.ts';
import { assignSigns, ChannelSign } from '../../components/channel-sign.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { FeedsButton, listStores } from '../../components/feeds.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { EmptyState, PageHeader, QueryContent } from '../../components/page.tsx';
import { RebuildAlert, useRebuilds } from '../../components/rebuilds.tsx';
import { ReleaseForm } from '../../components/release-dialog.tsx';
import { SharingButton } from '../../components/sharing-button.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { ChannelForm } from '../project/channel-form.tsx';
import { usePreviewChannels } from '../project/preview-channels.ts';
import { inProject, useProject } from '../project/project-context.ts';
import { uploadCommand } from '../project/upload-command.ts';
import { AccessRequests } from './access-requests.tsx';
import { Adoption, useChannelDays } from './adoption.tsx';
import { CurrentRelease } from './current-release.tsx';
import { History } from './history.tsx';
import { InstallLink } from './install-link.tsx';
import { RollBackDialog } from './roll-back.tsx';
import { SomeTesters } from './some-testers.tsx';
import { WaitingDevices } from './waiting-devices.tsx';

export function Page() {
  const { channelId } = useParams({ from: '/shell/projects/$projectId/channels/$channelId' });
  const channel = useRead<Channel>(`/channels/${channelId}`);
  return <QueryContent read={channel}>{(data) => <ChannelPage key={data.identifier} channel={data} />}</QueryContent>;
}

/** Older releases are shown on request, so that the page stays short. */
const SHOWN_FIRST = 8;

type Dialog = 'release' | 'edit' | 'delete';

function ChannelPage({ channel }: { channel: Channel }) {
  const t = useTexts().channels;
  const project = useProject();
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const releases = useReleases(channel);
  const { current } = releases;
  const days = useChannelDays(channel);
  const mayListTesters = mayInProject(project, 'channel_tester.list');
  const testers = useReadPages<ChannelTester>(`/channels/${channel.identifier}/testers`, {
    isEnabled: mayListTesters,
  });
  const { sign, next: following } = useNeighbors(channel);
  const next = following.find(({ release }) => release?.build.identifier !== current?.build.identifier)?.channel;
  const [targetId, setTargetId] = useState<string>();
  // The list may be read again while the dialog is open.
  const target = releases.targets.find(({ identifier }) => identifier === targetId);
  const mayRelease = mayInProject(project, 'release.manage');
  const releaseButton = mayRelease ? (
    <Button leftSection={<IconBroadcast size={16} />} onClick={() => setDialog('release')}>
      {t.releaseBuild}
    </Button>
  ) : null;
  return (
    <>
      <PageHeader
        title={channel.name}
        icon={<ChannelSign sign={sign} isLarge />}
        beside={<Chips channel={channel} />}
        hint={channel.description ?? undefined}
        actions={
          <>
            {mayInProject(project, 'share_link.manage') && (
              <SharingButton target={{ name: channel.name, channel_id: channel.identifier }} />
            )}
            {releaseButton}
            {mayInProject(project, 'channel.edit') && <ChannelMenu onChosen={setDialog} />}
          </>
        }
      />
      <div className="tw-columns">
        <div className="tw-column">
          {releases.missing === undefined ? (
            <Releases
              channel={channel}
              releases={releases}
              next={next}
              onRollBack={({ identifier }) => setTargetId(identifier)}
            />
          ) : (
            <Unread read={releases.missing} />
          )}
        </div>
        <aside className="tw-column" aria-label={t.aside}>
          <InstallLink channel={channel} />
          {mayInProject(project, 'build.download') && <FeedsPart channel={channel} />}
          {project.platform === 'ios' && mayListTesters && <WaitingDevices channel={channel} />}
          {mayInProject(project, 'channel_tester.manage') && <AccessRequests channel={channel} />}
          <Adoption
            channel={channel}
            release={current}
            read={days}
            testers={testers.hasNextPage ? undefined : testers.rows}
          />
          {mayListTesters && !days.isPending && (
            <SomeTesters channel={channel} release={current} count={days.data?.testers} list={testers} />
          )}
        </aside>
      </div>
      {current !== undefined && (
        <RollBackDialog
          channel={channel}
          release={current}
          target={target}
          between={target === undefined ? [] : releases.targets.slice(0, releases.targets.indexOf(target))}
          onClose={() => setTargetId(undefined)}
        />
      )}
      <Modal opened={dialog === 'release'} onClose={close} title={t.releaseOnto(channel.name)} centered>
        {dialog === 'release' && <ReleaseForm project={project} channel={channel} onDone={close} />}
      </Modal>
      <Modal opened={dialog === 'edit'} onClose={close} title={channel.name} centered>
        {dialog === 'edit' && <ChannelForm channel={channel} onDone={close} />}
      </Modal>
      <DeleteChannel channel={channel} isOpen={dialog === 'delete'} onClose={close} />
    </>
  );
}

/** Reads the releases of a channel, and finds the current one. */
function useReleases(channel: Channel) {
  const query = { ...inProject(useProject()), channel_id: channel.identifier };
  const list = useReadPages<Release>('/releases', { query });
  const { rows, hasNextPage } = list;
  const at = rows?.findIndex(({ is_current: isCurrent }) => isCurrent) ?? -1;
  // Below the releases that are loaded, if none of them can be current.
  const isBelow = rows !== undefined && at < 0 && hasNextPage;
  const below = useRead<Release[]>('/releases/current', { query, isEnabled: isBelow });
  const current = rows?.[at] ?? (isBelow ? below.data?.[0] : undefined);
  /** The releases that the channel can be rolled back to, the newest first. */
  const targets = at < 0 ? [] : (rows?.slice(at + 1).filter(isServable) ?? []);
  return {
    list,
    rows: rows ?? [],
    current,
    targets,
    /** The release before the current one. */
    before: targets[0] ?? (current !== undefined && hasNextPage ? ('unknown' as const) : undefined),
    /** What isn't read yet, without which nothing can be shown. */
    missing: rows === undefined ? list : isBelow && below.data === undefined ? below : undefined,
  };
}

interface ReleasesProps {
  channel: Channel;
  releases: ReturnType<typeof useReleases>;
  next: Channel | undefined;
  onRollBack(target: Release): void;
}

/** The current release and the history. */
function Releases({ channel, releases, next, onRollBack }: ReleasesProps) {
  const t = useTexts().channels;
  const project = useProject();
  const [isAllShown, setAllShown] = useState(false);
  const { list, rows, current, before, targets } = releases;
  return (
    <>
      {current === undefined ? (
        <EmptyState
          drawing="channel"
          title={t.nothingReleased}
          text={t.nothingReleasedText}
          command={uploadCommand(project, channel.name)}
        />
      ) : (
        <CurrentRelease channel={channel} release={current} before={before} next={next} onRollBack={onRollBack} />
      )}
      {current?.build.platform === 'ios' && <ChannelRebuild channel={channel} buildId={current.build.identifier} />}
      {rows.length > 0 && (
        <section aria-labelledby="history">
          <div className="tw-aside-head">
            <h2 id="history">{t.history}</h2>
            {!list.hasNextPage && <span className="tw-of">{rows.length}</span>}
          </div>
          <History
            releases={isAllShown ? rows : rows.slice(0, SHOWN_FIRST)}
            before={before}
            targets={targets}
            onRollBack={onRollBack}
          />
          {isAllShown ? (
            <LoadMore list={list} />
          ) : (
            rows.length > SHOWN_FIRST && (
              <Button variant="subtle" color="gray" size="compact-sm" ml={22} onClick={() => setAllShown(true)}>
                {t.showOlder}
              </Button>
            )
          )}
        </section>
      )}
    </>
  );
}

/** Says that a rebuild of the current release would include more devices; nothing without any. */
function ChannelRebuild({ channel, buildId }: { channel: Channel; buildId: string }) {
  const { data: rows, isPending } = useRebuilds(channel.project_id);
  // What is below appears with it.
  if (isPending) return <div aria-busy="true" hidden />;
  const found = rows?.find(({ channel_id: id, build_id: build }) => id === channel.identifier && build === buildId);
  return found === undefined ? null : <RebuildAlert rebuild={found} />;
}

/** The sign of a channel, and the channels that follow it in the order of promotion, with their current releases. */
function useNeighbors(channel: Channel) {
  const query = inProject(useProject());
  const channels = useReadAll<Channel>('/channels', { query });
  const current = useRead<Release[]>('/releases/current', { query });
  const { ids: previews } = usePreviewChannels();
  const all = channels.data ?? [channel];
  const lasting = all.filter(({ identifier }) => !previews.has(identifier));
  const order = orderChannels(lasting, current.data ?? []);
  const at = order.indexOf(channel.identifier);
  // A preview isn't part of the order.
  const following = (at < 0 ? [] : order.slice(at + 1)).flatMap((id) => {
    const found = all.find(({ identifier }) => identifier === id);
    return found === undefined ? [] : { channel: found, release: current.data?.find((one) => one.channel_id === id) };
  });
  return { sign: assignSigns(all, previews).get(channel.identifier) ?? '', next: following };
}

/** The addresses for app stores on phones and feed readers. */
function FeedsPart({ channel }: { channel: Channel }) {
  const { language, texts } = useLocale();
  const t = texts.feeds;
  const { platform } = useProject();
  return (
    <section className="tw-aside-part" aria-labelledby="feeds">
      <div className="tw-aside-head">
        <h2 id="feeds">{t.title}</h2>
        <div className="tw-no-print">
          <FeedsButton channel={channel} label={t.show} />
        </div>
      </div>
      <p className="tw-small tw-bare">{t.hint(listStores(platform, language))}</p>
    </section>
  );
}

/** Who can install from the channel, and how builds get there. */
function Chips({ channel }: { channel: Channel }) {
  const t = useTexts().channels;
  const Icon = channel.public ? IconWorld : IconLock;
  return (
    <>
      <Badge color="gray" leftSection={<Icon size={12} stroke={1.75} />}>
        {channel.public ? t.isPublic : t.isPrivate}
      </Badge>
      {channel.auto_distribute && (
        <Badge color="gray" leftSection={<IconBolt size={12} stroke={1.75} />}>
          {t.isAutomatic}
        </Badge>
      )}
    </>
  );
}

/** What is shown until the releases are read, or why they aren't. */
function Unread({ read: { error, refetch } }: { read: { error: Error | null; refetch(): unknown } }) {
  return error === null ? <Skeletons /> : <ErrorAlert error={error} onRetry={() => void refetch()} />;
}

/** The shape of the current release and its history. */
function Skeletons() {
  const t = useTexts().common;
  return (
    <div className="tw-column" aria-busy="true">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      <div className="tw-now" aria-hidden>
        <div className="tw-now-top">
          <Skeleton height={64} width={64} radius={14} />
          <div className="tw-grow">
            <Skeleton height={28} width={160} mb={10} />
            <Skeleton height={14} width={180} />
          </div>
        </div>
        <div className="tw-now-truth">
          <Skeleton height={14} width={200} />
        </div>
        <div className="tw-now-actions">
          <Skeleton height="var(--control)" width={140} />
          <Skeleton height="var(--control)" width={104} />
        </div>
      </div>
      <div aria-hidden>
        <div className="tw-aside-head">
          <Skeleton height={14} width={64} />
        </div>
        {Array.from({ length: 4 }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
          <div key={index} className="tw-line-skeleton">
            <Skeleton height={12} width={12} circle />
            <Skeleton height={14} width="60%" />
          </div>
        ))}
      </div>
    </div>
  );
}

function isServable({ state, build }: Release): boolean {
  return state === 'active' && build.revoked_at === null;
}

function ChannelMenu({ onChosen }: { onChosen(dialog: Dialog): void }) {
  const texts = useTexts();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={texts.common.more}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChosen('edit')}>{texts.common.edit}</Menu.Item>
        <Menu.Item color="red" onClick={() => onChosen('delete')}>
          {texts.channels.delete}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface DeleteChannelProps {
  channel: Channel;
  isOpen: boolean;
  onClose(): void;
}

function DeleteChannel({ channel, isOpen, onClose }: DeleteChannelProps) {
  const t = useTexts().channels;
  const navigate = useNavigate();
  const remove = useChange(
    (api) => api.send('DELETE', `/channels/${channel.identifier}`, { query: { force: true } }),
    ['/channels?', '/releases', '/projects'],
  );
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t.deleteTitle(channel.name)}
      action={t.delete}
      typed={channel.name}
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(undefined);
        showSuccess(t.deleted(channel.name));
        await navigate({ to: '/projects/$projectId', params: { projectId: channel.project_id }, ignoreBlocker: true });
      }}
    >
      {t.deleteEffect}
    </ConfirmDialog>
  );
}
