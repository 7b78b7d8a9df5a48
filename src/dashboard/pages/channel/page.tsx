// The page of a channel: current release, install link, usage, testers and history.
import { Badge, Button, Menu, Modal } from '@mantine/core';
import { IconBroadcast, IconDots } from '@tabler/icons-react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { useChange, useRead, useReadPages } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { EmptyState, Loading, PageHeader, QueryContent, Section } from '../../components/page.tsx';
import { ReleaseForm } from '../../components/release-dialog.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { ChannelForm } from '../project/channel-form.tsx';
import { inProject, useProject } from '../project/project-context.ts';
import { uploadCommand } from '../project/upload-command.ts';
import { CurrentRelease } from './current-release.tsx';
import { History } from './history.tsx';
import { PublicLink } from './public-link.tsx';
import { ChannelTesters } from './testers.tsx';
import { Usage } from './usage.tsx';

export function Page() {
  const { channelId } = useParams({ from: '/shell/projects/$projectId/channels/$channelId' });
  const channel = useRead<Channel>(`/channels/${channelId}`);
  return <QueryContent read={channel}>{(data) => <ChannelPage key={data.identifier} channel={data} />}</QueryContent>;
}

type Dialog = 'release' | 'edit' | 'delete';

function ChannelPage({ channel }: { channel: Channel }) {
  const texts = useTexts();
  const t = texts.channels;
  const project = useProject();
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const query = { ...inProject(project), channel_id: channel.identifier };
  const releases = useReadPages<Release>('/releases', { query });
  const mayRelease = mayInProject(project, 'release.manage');
  const { rows } = releases;
  const at = rows?.findIndex(({ is_current: isCurrent }) => isCurrent) ?? -1;
  const current = rows?.[at];
  const before = at < 0 ? undefined : rows?.slice(at + 1).find(isServable);
  const releaseButton = mayRelease ? (
    <Button leftSection={<IconBroadcast size={16} />} onClick={() => setDialog('release')}>
      {t.releaseBuild}
    </Button>
  ) : null;
  return (
    <>
      <PageHeader
        title={channel.name}
        hint={
          <>
            {channel.description} {channel.public && <Badge color="green">{t.isPublic}</Badge>}
          </>
        }
        actions={
          <>
            {rows?.length ? releaseButton : null}
            {mayInProject(project, 'channel.edit') && <ChannelMenu onChosen={setDialog} />}
          </>
        }
      />
      {rows === undefined ? (
        releases.error === null ? (
          <Loading rows={3} height={120} />
        ) : (
          <ErrorAlert error={releases.error} onRetry={() => void releases.refetch()} />
        )
      ) : (
        <>
          {current === undefined ? (
            <EmptyState
              icon={<IconBroadcast size={40} stroke={1.4} aria-hidden />}
              title={t.nothingReleased}
              text={t.nothingReleasedText}
              action={releaseButton}
              command={uploadCommand(project, channel.name)}
            />
          ) : (
            <CurrentRelease channel={channel} release={current} before={before} />
          )}
          <PublicLink channel={channel} />
          <Usage channel={channel} release={current} />
          {mayInProject(project, 'channel_tester.list') && <ChannelTesters channel={channel} />}
          {rows.length > 0 && (
            <Section title={t.history}>
              <History releases={rows} before={before} />
              {releases.hasNextPage && (
                <Button
                  variant="default"
                  loading={releases.isFetchingNextPage}
                  onClick={() => void releases.fetchNextPage()}
                >
                  {texts.common.loadMore}
                </Button>
              )}
            </Section>
          )}
        </>
      )}
      <Modal opened={dialog === 'release'} onClose={close} title={t.releaseOnto(channel.name)} centered>
        {dialog === 'release' && <ReleaseForm project={project} channel={channel} onDone={close} />}
      </Modal>
      <Modal opened={dialog === 'edit'} onClose={close} title={channel.name} centered>
        {dialog === 'edit' && <ChannelForm channel={channel} onDone={close} />}
      </Modal>
      <DeleteChannel channel={channel} releaseCount={rows?.length ?? 0} isOpen={dialog === 'delete'} onClose={close} />
    </>
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
        <Button variant="default" aria-label={texts.common.more}>
          <IconDots size={16} />
        </Button>
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
  releaseCount: number;
  isOpen: boolean;
  onClose(): void;
}

function DeleteChannel({ channel, releaseCount, isOpen, onClose }: DeleteChannelProps) {
  const t = useTexts().channels;
  const navigate = useNavigate();
  const remove = useChange(
    (api) => api.send('DELETE', `/channels/${channel.identifier}`, { query: { force: releaseCount > 0 || undefined } }),
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
        await navigate({ to: '/projects/$projectId', params: { projectId: channel.project_id } });
      }}
    >
      {t.deleteEffect}
    </ConfirmDialog>
  );
}
