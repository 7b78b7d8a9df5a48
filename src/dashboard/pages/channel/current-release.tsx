// What a channel serves now, and the three ways to change it: promote it elsewhere, roll back, take it away.
import { Badge, Button, Modal, Text, Title } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp, IconPlayerPause } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { useChange, useRead } from '../../api/api-context.ts';
import { AppIcon } from '../../parts/app-icon.tsx';
import { nameBuild } from '../../parts/build-name.ts';
import { BuildStatus } from '../../parts/build-status.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ReleaseForm } from '../../parts/release-dialog.tsx';
import { SavedSwitch } from '../../parts/saved-switch.tsx';
import { Time } from '../../parts/time.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { mayInProject } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { inProject, useProject } from '../project/project-context.ts';

interface CurrentReleaseProps {
  channel: Channel;
  release: Release;
  /** What a roll back leads to; undefined when there is nothing before it. */
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
              {nameBuild(release.build)}
            </Link>{' '}
            {release.mandatory && <Badge color="orange">{t.mandatory}</Badge>}
          </Title>
          <Text size="sm" c="dimmed" component="div">
            {t.released} <Time at={release.created_at} />
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
      <Modal opened={dialog === 'promote'} onClose={close} title={t.promoteTitle(nameBuild(release.build))} centered>
        {dialog === 'promote' && (
          <ReleaseForm project={project} build={release.build} exceptChannelId={channel.identifier} onDone={close} />
        )}
      </Modal>
      <Confirm
        isOpen={dialog === 'rollback' && before !== undefined}
        title={t.rollBackTitle(channel.name)}
        action={before === undefined ? t.rollBack : t.rollBackTo(nameBuild(before.build))}
        onClose={close}
        onConfirm={async () => {
          await rollBack.mutateAsync(undefined);
          if (before !== undefined) sayDone(t.rolledBack(nameBuild(before.build)));
        }}
      >
        {before !== undefined && <Effect release={release} to={nameBuild(before.build)} />}
      </Confirm>
      <Confirm
        isOpen={dialog === 'disable'}
        title={t.disableTitle(nameBuild(release.build))}
        action={t.disable}
        onClose={close}
        onConfirm={() => disable.mutateAsync(undefined)}
      >
        {before === undefined ? t.disableOnlyEffect : t.disableEffect(nameBuild(before.build))}{' '}
        <Holders release={release} />
      </Confirm>
    </section>
  );
}

/** How many have it now. Said without the number while that is on its way. */
function Effect({ release, to }: { release: Release; to: string }) {
  const t = useTexts().channels;
  const path = `/releases/${release.identifier}/analytics`;
  const { data } = useRead<{ unique_testers: number; total_downloads: number }>(path);
  return <>{t.rollBackEffect(data?.unique_testers, data?.total_downloads, nameBuild(release.build), to)}</>;
}

/** The same for what is disabled: it stays on the phones. */
function Holders({ release }: { release: Release }) {
  const t = useTexts().takers;
  const { data } = useRead<{ unique_testers: number; total_downloads: number }>(
    `/releases/${release.identifier}/analytics`,
  );
  return data === undefined ? null : t.retainedEffect(data.unique_testers, data.total_downloads);
}
