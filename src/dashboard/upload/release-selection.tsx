// The channels of an upload: those that release automatically, or one that the user selects during the upload.

import { Button, NativeSelect, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Channel } from '../../channels/schema.ts';
import { MAX_RELEASE_NOTES } from '../../lib/markdown/notes-limit.ts';
import { useReadAll } from '../api/hooks.ts';
import { formatBuild, isUninstallable } from '../components/build-name.ts';
import { describeBuildStatus } from '../components/build-status.tsx';
import { ConfirmDialog } from '../components/confirm.tsx';
import { ErrorAlert } from '../components/errors.tsx';
import { readLastChannel, suggestChannel } from '../components/last-channel.ts';
import { NotesField } from '../components/release-notes.tsx';
import { mayInProject, useCurrentUser } from '../shell/current-user.ts';
import { useLocale, useTexts } from '../texts/locale.ts';
import { useUploads } from './upload-context.tsx';
import type { Upload } from './uploads.ts';

/** Renders no selection if channels release automatically or the user can't release. */
export function ReleaseChoice({ upload }: { upload: Upload }) {
  const texts = useTexts();
  const t = texts.upload;
  const uploads = useUploads();
  const { project, build, channelId, release, releaseError, stage } = upload;
  const query = { organization_id: project.organization_id, project_id: project.identifier };
  const { data: channels, error, refetch } = useReadAll<Channel>('/channels', { query });
  if (channels === undefined)
    return error === null ? null : <ErrorAlert error={error} onRetry={() => void refetch()} />;
  const nameOf = (id: string) => channels.find(({ identifier }) => identifier === id)?.name ?? '';

  if (release !== undefined) return <Released channel={nameOf(release.channel_id)} {...linkOf(upload, release)} />;
  const [first] = build?.released_to ?? [];
  if (build !== undefined && first !== undefined) {
    const names = build.released_to.map(({ channel_id: id }) => nameOf(id));
    return <Released text={texts.releasing.automatic(names)} {...linkOf(upload, first)} />;
  }
  const automatic = channels.flatMap(({ auto_distribute: isAutomatic, name }) => (isAutomatic ? name : []));
  if (build === undefined && automatic.length > 0) return <Note>{texts.releasing.willBeAutomatic(automatic)}</Note>;
  if (!mayInProject(project, 'release.manage')) return null;
  if (channels.length === 0) {
    return (
      <Note>
        {t.noChannels}{' '}
        <Link to="/projects/$projectId" params={{ projectId: project.identifier }} className="tw-link">
          {t.toChannels}
        </Link>
      </Note>
    );
  }
  if (releaseError !== undefined && channelId !== undefined) {
    return <ErrorAlert error={releaseError} onRetry={() => uploads.releaseOnto(upload.id, channelId)} />;
  }
  if (channelId !== undefined && stage === 'done') return <Note>{t.releasing}</Note>;
  if (channelId !== undefined) {
    return (
      <div className="tw-row">
        <div className="tw-grow">
          <Note>{t.willRelease(nameOf(channelId))}</Note>
        </div>
        <Button size="xs" variant="default" onClick={() => uploads.cancelRelease(upload.id)}>
          {t.changeRelease}
        </Button>
      </div>
    );
  }
  return (
    <>
      {automatic.length > 0 && <Note>{texts.releasing.notAutomatic}</Note>}
      <ChannelPicker upload={upload} channels={channels} />
    </>
  );
}

const Note = ({ children }: { children: React.ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);

const linkOf = ({ project }: Upload, { channel_id: channelId }: { channel_id: string }) => ({
  projectId: project.identifier,
  channelId,
});

function Released({
  channel = '',
  text,
  ...params
}: {
  channel?: string;
  text?: string;
  projectId: string;
  channelId: string;
}) {
  const t = useTexts().upload;
  return (
    <Text size="sm" role="status">
      {text ?? t.released(channel)}{' '}
      <Link to="/projects/$projectId/channels/$channelId" params={params} className="tw-link">
        {t.openChannel}
      </Link>
    </Text>
  );
}

function ChannelPicker({ upload, channels }: { upload: Upload; channels: readonly Channel[] }) {
  const { language, texts } = useLocale();
  const t = texts.upload;
  const uploads = useUploads();
  const { me } = useCurrentUser();
  const { build, project } = upload;
  const [picked, setPicked] = useState(upload.channelId);
  const [notes, setNotes] = useState(upload.notes ?? '');
  const [isConfirming, setConfirming] = useState(false);
  const chosen =
    picked ?? suggestChannel(channels, readLastChannel(me.identifier, project.identifier), new Set()) ?? '';
  const name = channels.find(({ identifier }) => identifier === chosen)?.name ?? '';
  function release(event: FormEvent): void {
    event.preventDefault();
    if (chosen === '') return;
    if (build !== undefined && isUninstallable(build)) setConfirming(true);
    else uploads.releaseOnto(upload.id, chosen, notes.trim());
  }
  return (
    <form className="tw-upload-release" onSubmit={release}>
      <NotesField
        label={texts.channels.releaseNotes}
        minRows={2}
        maxRows={6}
        maxLength={MAX_RELEASE_NOTES}
        value={notes}
        onChange={(event) => setNotes(event.currentTarget.value)}
      />
      <div className="tw-row">
        <NativeSelect
          className="tw-grow"
          aria-label={t.channel}
          value={chosen}
          data={[
            { value: '', label: t.pickChannel },
            ...channels.map((channel) => ({ value: channel.identifier, label: channel.name })),
          ]}
          onChange={(event) => setPicked(event.currentTarget.value)}
        />
        <Button type="submit" disabled={chosen === ''}>
          {build === undefined ? t.releaseWhenDone : t.release}
        </Button>
      </div>
      {build !== undefined && (
        <ConfirmDialog
          isOpen={isConfirming}
          title={texts.releasing.uninstallableTitle(formatBuild(build), name)}
          action={texts.releasing.releaseAnyway}
          onClose={() => setConfirming(false)}
          onConfirm={async () => uploads.releaseOnto(upload.id, chosen, notes.trim())}
        >
          {texts.releasing.uninstallableEffect(describeBuildStatus(build, language, texts))}
        </ConfirmDialog>
      )}
    </form>
  );
}
