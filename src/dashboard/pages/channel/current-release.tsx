// The current release of a channel, and the actions to promote it, roll back and disable it.
import { Badge, Button, Modal } from '@mantine/core';
import { IconArrowBackUp, IconArrowRight, IconPlayerPause } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { formatBuild } from '../../components/build-name.ts';
import { BuildStatus } from '../../components/build-status.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { notesOf } from '../../components/notes.ts';
import { buildIcon } from '../../components/project-icon.ts';
import { ReleaseAuthor } from '../../components/release-author.tsx';
import { ReleaseForm } from '../../components/release-dialog.tsx';
import { ReleaseNotes } from '../../components/release-notes.tsx';
import { SavedSwitch } from '../../components/saved-switch.tsx';
import { SourceChips } from '../../components/source-chips.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';

interface CurrentReleaseProps {
  channel: Channel;
  release: Release;
  before: Before;
  /** The channel that follows in the order of promotion and doesn't have the build yet. */
  next: Channel | undefined;
  onRollBack(target: Release): void;
}

/** The release to roll back to, which becomes current without this one; undefined if there is none, unknown until it is loaded. */
export type Before = Release | 'unknown' | undefined;

const touched = ['/releases', '/channels', '/projects'];

export function CurrentRelease({ channel, release, before, next, onRollBack }: CurrentReleaseProps) {
  const texts = useTexts();
  const t = texts.channels;
  const project = useProject();
  const [dialog, setDialog] = useState<'promote' | 'disable'>();
  const close = () => setDialog(undefined);
  const { build } = release;
  const { identifier: id } = release;
  const notes = notesOf(release);
  const disable = useChange((api) => api.send('POST', `/releases/${id}/disable`), touched);
  // The releases of these are arguments, because another one may be current when they are called.
  const enable = useChange((api, disabled: string) => api.send('POST', `/releases/${disabled}/enable`), touched);
  const mark = useChange(
    (api, { marked, mandatory }: { marked: string; mandatory: boolean }) =>
      api.send('PATCH', `/releases/${marked}`, { body: { mandatory } }),
    touched,
  );
  const buildPage = { projectId: project.identifier, buildId: build.identifier };
  return (
    <section className="tw-now" aria-label={t.current}>
      <div className="tw-now-top">
        <AppIcon src={buildIcon(project, build.icon_url)} name={project.name} size={64} />
        <div className="tw-grow">
          <h2 className="tw-figure">
            <Link to="/projects/$projectId/builds/$buildId" params={buildPage} className="tw-quiet-link">
              {build.version_name} <small>({build.display_build_number})</small>
            </Link>
            {release.mandatory && <Badge color="orange">{t.mandatory}</Badge>}
          </h2>
          <p className="tw-now-who">
            <ReleaseAuthor release={release} /> <RelativeTime at={release.created_at} />
          </p>
        </div>
      </div>
      <div className="tw-now-truth">
        <BuildStatus build={build} />
        {build.platform === 'ios' && (
          <Link to="/projects/$projectId/builds/$buildId" params={buildPage} className="tw-link">
            {t.showDevices}
          </Link>
        )}
      </div>
      <SourceChips build={build} />
      {notes !== '' && <Notes notes={notes} />}
      {mayInProject(project, 'release.manage') && (
        <div className="tw-now-actions">
          <Button variant="default" leftSection={<IconArrowRight size={16} />} onClick={() => setDialog('promote')}>
            {next === undefined ? t.promote : t.promoteTo(next.name)}
          </Button>
          <Button
            variant="default"
            leftSection={<IconArrowBackUp size={16} />}
            disabled={before === undefined || before === 'unknown'}
            title={before === undefined ? t.noEarlierRelease : before === 'unknown' ? t.olderNotLoaded : undefined}
            onClick={() => before !== undefined && before !== 'unknown' && onRollBack(before)}
          >
            {t.rollBack}
          </Button>
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconPlayerPause size={16} />}
            onClick={() => setDialog('disable')}
          >
            {t.disable}
          </Button>
          <div className="tw-now-switch">
            <SavedSwitch
              label={t.mandatorySwitch}
              isOn={release.mandatory}
              save={async (isMandatory) => {
                await mark.mutateAsync({ marked: id, mandatory: isMandatory });
                showSuccess(texts.common.saved, () => mark.mutateAsync({ marked: id, mandatory: !isMandatory }));
              }}
            />
          </div>
        </div>
      )}
      <Modal opened={dialog === 'promote'} onClose={close} title={t.promoteTitle(formatBuild(build))} centered>
        {dialog === 'promote' && (
          <ReleaseForm
            project={project}
            build={build}
            exceptChannelId={channel.identifier}
            promoted={release}
            firstChannelId={next?.identifier}
            onDone={close}
          />
        )}
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'disable'}
        title={t.disableTitle(formatBuild(build))}
        action={t.disable}
        onClose={close}
        onConfirm={async () => {
          await disable.mutateAsync(undefined);
          showSuccess(t.disabled(formatBuild(build)), () => enable.mutateAsync(id));
        }}
      >
        {before === 'unknown'
          ? t.disableUnknownEffect
          : before === undefined
            ? t.disableOnlyEffect
            : t.disableEffect(formatBuild(before.build))}{' '}
        <RetainedEffect release={release} />
      </ConfirmDialog>
    </section>
  );
}

/** Longer notes scroll in a box of their own, so that the actions below them stay in sight. */
const MAX_CHARACTERS = 1_500;
const MAX_LINES = 16;

function Notes({ notes }: { notes: string }) {
  const t = useTexts().channels;
  const isLong = notes.length > MAX_CHARACTERS || notes.split('\n').length > MAX_LINES;
  if (!isLong) {
    return (
      <div className="tw-now-body">
        <ReleaseNotes notes={notes} />
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className="tw-now-body tw-now-long" aria-label={t.releaseNotes} tabIndex={0}>
      <ReleaseNotes notes={notes} />
    </section>
  );
}

/** How many have the release. Disabling doesn't uninstall it. */
function RetainedEffect({ release }: { release: Release }) {
  const t = useTexts().releaseInstalls;
  const { data } = useRead<{ unique_testers: number; total_downloads: number }>(
    `/releases/${release.identifier}/analytics`,
  );
  return data === undefined ? null : t.retainedEffect(data.unique_testers, data.total_downloads);
}
