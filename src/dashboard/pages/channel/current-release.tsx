// The current release of a channel, and the actions to promote it, roll back and disable it.
import { Badge, Button, Modal, Text, Title } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp, IconPlayerPause } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { formatBuild } from '../../components/build-name.ts';
import { BuildStatus } from '../../components/build-status.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ReleaseForm } from '../../components/release-dialog.tsx';
import { SavedSwitch } from '../../components/saved-switch.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

interface CurrentReleaseProps {
  channel: Channel;
  release: Release;
  /** The release to roll back to; undefined if there is none. */
  before: Release | undefined;
}

const touched = ['/releases', '/channels', '/projects'];

export function CurrentRelease({ channel, release, before }: CurrentReleaseProps) {
  const texts = useTexts();
  const t = texts.channels;
  const project = useProject();
  const [dialog, setDialog] = useState<'promote' | 'rollback' | 'disable'>();
  const close = () => setDialog(undefined);
  const mayManage = mayInProject(project, 'release.manage');
  const query = { ...inProject(project), channel_id: channel.identifier };
  const path = `/releases/${release.identifier}`;
  const rollBack = useChange((api) => api.send('POST', '/releases/rollback', { query }), touched);
  const disable = useChange((api) => api.send('POST', `${path}/disable`), touched);
  const mark = useChange((api, mandatory: boolean) => api.send('PATCH', path, { body: { mandatory } }), touched);
  return (
    <section className="tw-card" aria-label={t.current}>
      <div className="tw-row tw-wrap">
        <AppIcon src={release.build.icon_url} name={project.name} size={64} />
        <div className="tw-grow">
          <Text size="sm" c="dimmed">
            {t.current}
          </Text>
          <Title order={2} size="h3">
            <Link
              to="/projects/$projectId/builds/$buildId"
              params={{ projectId: project.identifier, buildId: release.build.identifier }}
              className="tw-quiet-link"
            >
              {formatBuild(release.build)}
            </Link>{' '}
            {release.mandatory && <Badge color="orange">{t.mandatory}</Badge>}
          </Title>
          <Text size="sm" c="dimmed" component="div">
            {t.released} <RelativeTime at={release.created_at} />
          </Text>
          <BuildStatus build={release.build} />
        </div>
      </div>
      {release.release_notes !== null && <p className="tw-notes tw-bare">{release.release_notes}</p>}
      {mayManage && (
        <div className="tw-row tw-wrap">
          <Button variant="default" leftSection={<IconArrowForwardUp size={16} />} onClick={() => setDialog('promote')}>
            {t.promote}
          </Button>
          <Button
            variant="default"
            leftSection={<IconArrowBackUp size={16} />}
            disabled={before === undefined}
            title={before === undefined ? t.noEarlierRelease : undefined}
            onClick={() => setDialog('rollback')}
          >
            {t.rollBack}
          </Button>
          <Button variant="default" leftSection={<IconPlayerPause size={16} />} onClick={() => setDialog('disable')}>
            {t.disable}
          </Button>
          <SavedSwitch
            label={t.mandatorySwitch}
            isOn={release.mandatory}
            save={(isMandatory) => mark.mutateAsync(isMandatory)}
          />
        </div>
      )}
      <Modal opened={dialog === 'promote'} onClose={close} title={t.promoteTitle(formatBuild(release.build))} centered>
        {dialog === 'promote' && (
          <ReleaseForm project={project} build={release.build} exceptChannelId={channel.identifier} onDone={close} />
        )}
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'rollback' && before !== undefined}
        title={t.rollBackTitle(channel.name)}
        action={before === undefined ? t.rollBack : t.rollBackTo(formatBuild(before.build))}
        onClose={close}
        onConfirm={async () => {
          await rollBack.mutateAsync(undefined);
          if (before !== undefined) showSuccess(t.rolledBack(formatBuild(before.build)));
        }}
      >
        {before !== undefined && <RollBackEffect release={release} to={formatBuild(before.build)} />}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'disable'}
        title={t.disableTitle(formatBuild(release.build))}
        action={t.disable}
        onClose={close}
        onConfirm={() => disable.mutateAsync(undefined)}
      >
        {before === undefined ? t.disableOnlyEffect : t.disableEffect(formatBuild(before.build))}{' '}
        <RetainedEffect release={release} />
      </ConfirmDialog>
    </section>
  );
}

/** The effect of rolling back. Without numbers until they are loaded. */
function RollBackEffect({ release, to }: { release: Release; to: string }) {
  const t = useTexts().channels;
  const path = `/releases/${release.identifier}/analytics`;
  const { data } = useRead<{ unique_testers: number; total_downloads: number }>(path);
  return <>{t.rollBackEffect(data?.unique_testers, data?.total_downloads, formatBuild(release.build), to)}</>;
}

/** How many have the release. Disabling doesn't uninstall it. */
function RetainedEffect({ release }: { release: Release }) {
  const t = useTexts().releaseInstalls;
  const { data } = useRead<{ unique_testers: number; total_downloads: number }>(
    `/releases/${release.identifier}/analytics`,
  );
  return data === undefined ? null : t.retainedEffect(data.unique_testers, data.total_downloads);
}
