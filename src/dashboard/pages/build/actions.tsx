// What can be done with a build, on its page and in the list of builds.
import { Modal, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import type { Channel } from '../../../channels/schema.ts';
import type { ChannelOverview } from '../../../overviews/channel-schema.ts';
import type { Project } from '../../../projects/schema.ts';
import { useApi, useChange, useReadAll } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { readLabels } from '../../components/labels.ts';
import { ReleaseForm } from '../../components/release-dialog.tsx';
import { NotesField } from '../../components/release-notes.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import type { Texts } from '../../texts/en.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';
import { PublishDialog } from './publish.tsx';

export type BuildDialog = 'release' | 'notes' | 'labels' | 'pin' | 'publish' | 'revoke' | 'delete';

/** Returns the items of a build's menu that the user may choose. */
export function menuItems(build: Build, project: Project, texts: Texts): { dialog: BuildDialog; label: string }[] {
  const t = texts.builds;
  return [
    ...(mayInProject(project, 'build.upload')
      ? [{ dialog: 'notes', label: t.editNotes } as const, { dialog: 'labels', label: t.editLabels } as const]
      : []),
    ...(mayInProject(project, 'build.pin')
      ? [{ dialog: 'pin', label: build.pinned_at === null ? t.pin : t.unpin } as const]
      : []),
    ...(mayInProject(project, 'publish.request') && build.revoked_at === null
      ? [{ dialog: 'publish', label: texts.stores.publish.action } as const]
      : []),
    ...(mayInProject(project, 'build.revoke') && build.revoked_at === null
      ? [{ dialog: 'revoke', label: t.revoke } as const]
      : []),
    ...(mayInProject(project, 'build.delete') ? [{ dialog: 'delete', label: t.delete } as const] : []),
  ];
}

/** Returns whether a dialog is about taking something away. */
export function isDestructive(dialog: BuildDialog): boolean {
  return dialog === 'revoke' || dialog === 'delete';
}

/** Returns whether the user may release the build. */
export function mayRelease(build: Build, project: Project): boolean {
  return mayInProject(project, 'release.manage') && build.revoked_at === null;
}

/** Returns whether the user may download the build. */
export function mayDownload(build: Build, project: Project): boolean {
  return mayInProject(project, 'build.download') && build.revoked_at === null;
}

/** Reads the channels of the project with what is live on each. */
export function useChannelOverviews() {
  return useReadAll<ChannelOverview>('/channels/overview', { query: inProject(useProject()) });
}

/** Returns a function that downloads a build, and the dialog that shows its error. */
export function useDownload(): { download(build: Build): Promise<void>; errorDialog: ReactNode } {
  const t = useTexts().builds;
  const api = useApi();
  const [failed, setFailed] = useState<{ build: Build; error: unknown }>();
  async function download(build: Build): Promise<void> {
    setFailed(undefined);
    try {
      const path = `/builds/${build.identifier}/download`;
      const { download_url: address } = await api.send<{ download_url: string }>('GET', path);
      location.assign(address);
    } catch (error) {
      setFailed({ build, error });
    }
  }
  const errorDialog = (
    <Modal opened={failed !== undefined} onClose={() => setFailed(undefined)} title={t.download} centered>
      {failed !== undefined && <ErrorAlert error={failed.error} onRetry={() => void download(failed.build)} />}
    </Modal>
  );
  return { download, errorDialog };
}

interface DialogProps {
  build: Build;
  /** The open dialog. */
  dialog: BuildDialog | undefined;
  /** The channel to release to, if it is already chosen. */
  channel?: Channel | undefined;
  onClose(): void;
  onDeleted?(): Promise<void>;
}

export function BuildDialogs({ build, dialog, channel, onClose, onDeleted }: DialogProps) {
  const texts = useTexts();
  const project = useProject();
  const title = formatBuild(build);
  return (
    <>
      <Modal
        opened={dialog === 'release'}
        onClose={onClose}
        title={texts.releasing.title(title, channel?.name)}
        centered
      >
        {dialog === 'release' && (
          <ReleaseForm
            project={project}
            build={build}
            {...(channel === undefined ? {} : { channel })}
            onDone={onClose}
          />
        )}
      </Modal>
      <Modal opened={dialog === 'notes'} onClose={onClose} title={texts.builds.editNotes} centered>
        {dialog === 'notes' && <NotesForm build={build} onDone={onClose} />}
      </Modal>
      <Modal opened={dialog === 'labels'} onClose={onClose} title={texts.builds.editLabels} centered>
        {dialog === 'labels' && <LabelsForm build={build} onDone={onClose} />}
      </Modal>
      <PinDialog build={build} isOpen={dialog === 'pin'} onClose={onClose} />
      <PublishDialog build={build} isOpen={dialog === 'publish'} onClose={onClose} />
      <Removal build={build} dialog={dialog} onClose={onClose} {...(onDeleted === undefined ? {} : { onDeleted })} />
    </>
  );
}

function NotesForm({ build, onDone }: { build: Build; onDone(): void }) {
  const texts = useTexts();
  const save = useChange(
    (api, body: object) => api.send<Build>('PATCH', `/builds/${build.identifier}`, { body }),
    ['/builds', '/releases'],
  );
  const form = useForm({
    values: { release_notes: build.release_notes ?? '' },
    async submit({ release_notes: notes }) {
      await save.mutateAsync({ release_notes: notes === '' ? null : notes });
      showSuccess(texts.common.saved, () => save.mutateAsync({ release_notes: build.release_notes }));
    },
    onDone,
  });
  return (
    <FormBody form={form} submit={texts.common.save}>
      <NotesField label={texts.builds.notes} minRows={5} data-autofocus {...form.text('release_notes')} />
    </FormBody>
  );
}

function LabelsForm({ build, onDone }: { build: Build; onDone(): void }) {
  const texts = useTexts();
  const save = useChange(
    (api, labels: readonly string[]) => api.send<Build>('PATCH', `/builds/${build.identifier}`, { body: { labels } }),
    ['/builds', '/releases'],
  );
  const form = useForm({
    values: { labels: build.labels.join(', ') },
    async submit({ labels }) {
      await save.mutateAsync(readLabels(labels));
      showSuccess(texts.common.saved, () => save.mutateAsync(build.labels));
    },
    onDone,
  });
  return (
    <FormBody form={form} submit={texts.common.save}>
      <TextInput
        label={texts.builds.labels}
        description={texts.builds.labelsHint}
        autoComplete="off"
        data-autofocus
        {...form.text('labels')}
      />
    </FormBody>
  );
}

/** Pins the build, or unpins it. */
function PinDialog({ build, isOpen, onClose }: { build: Build; isOpen: boolean; onClose(): void }) {
  const t = useTexts().builds;
  const isPinned = build.pinned_at !== null;
  const change = useChange(
    (api) => api.send<Build>('POST', `/builds/${build.identifier}/${isPinned ? 'unpin' : 'pin'}`),
    ['/builds'],
  );
  const title = formatBuild(build);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={isPinned ? t.unpinTitle(title) : t.pinTitle(title)}
      action={isPinned ? t.unpin : t.pin}
      isHarmless
      onClose={onClose}
      onConfirm={() => change.mutateAsync(undefined)}
    >
      {isPinned ? t.unpinEffect : t.pinEffect}
    </ConfirmDialog>
  );
}

function Removal({ build, dialog, onClose, onDeleted }: DialogProps) {
  const t = useTexts().builds;
  const live = useChannelOverviews()
    .data?.filter(({ current_release: release }) => release?.build.identifier === build.identifier)
    .map(({ channel }) => channel.name);
  const title = formatBuild(build);
  const path = `/builds/${build.identifier}`;
  const touched = ['/releases', '/channels', '/projects'];
  const revoke = useChange((api) => api.send('POST', `${path}/revoke`), ['/builds', ...touched]);
  // The page of a deleted build is left before its queries are read again.
  const remove = useChange(
    (api) => api.send('DELETE', path),
    onDeleted === undefined ? ['/builds?', ...touched] : touched,
  );
  return (
    <>
      <ConfirmDialog
        isOpen={dialog === 'revoke'}
        title={t.revokeTitle(title)}
        action={t.revoke}
        onClose={onClose}
        onConfirm={() => revoke.mutateAsync(undefined)}
      >
        {t.revokeEffect(live)}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        title={t.deleteTitle(title)}
        action={t.delete}
        typed={build.version_name}
        onClose={onClose}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.deleted(title));
          await onDeleted?.();
        }}
      >
        {t.deleteEffect(live)}
      </ConfirmDialog>
    </>
  );
}
