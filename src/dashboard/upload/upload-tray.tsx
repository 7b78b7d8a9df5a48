// The corner with the uploads: what each is, how far, and what can be done with it.
import { Alert, Button, CloseButton, NativeSelect, Progress, Stack, Text, TextInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Channel } from '../../channels/schema.ts';
import { useReadAll } from '../api/api-context.ts';
import { ApiError } from '../api/errors.ts';
import { AppIcon } from '../parts/app-icon.tsx';
import { formatBytes, formatDuration } from '../parts/formats.ts';
import { Problem } from '../parts/problem.tsx';
import { mayInProject } from '../shell/me.ts';
import type { Texts } from '../texts/en.ts';
import { useSpeech, useTexts } from '../texts/languages.ts';
import { toBuildNumber, WrongFile } from './recognise.ts';
import { TransferFailure } from './transfer.ts';
import { useUploadList, useUploads } from './upload-context.tsx';
import { ClaimHeld, type Upload } from './uploads.ts';

/** Nothing while there are none. */
export function UploadTray() {
  const t = useTexts().upload;
  const list = useUploadList();
  if (list.length === 0) return null;
  return (
    <section className="tw-tray" aria-label={t.title}>
      {list.map((upload) => (
        <UploadCard key={upload.id} upload={upload} />
      ))}
    </section>
  );
}

function UploadCard({ upload }: { upload: Upload }) {
  const t = useTexts().upload;
  const { language } = useSpeech();
  const uploads = useUploads();
  const { file, recognised, identity, stage, build } = upload;
  const name = recognised?.name ?? upload.project.name;
  const version = identity === undefined ? '' : ` ${identity.versionName} (${identity.buildNumber})`;
  const isOver = stage === 'done' || stage === 'refused' || stage === 'failed' || stage === 'asking';
  return (
    <article className="tw-upload" aria-label={file.name}>
      <div className="tw-row">
        <AppIcon src={build?.icon_url ?? upload.project.icon_url} name={name} size={36} />
        <div className="tw-grow">
          <Text fw={600} size="sm">
            {name}
            {version}
          </Text>
          <Text size="xs" c="dimmed">
            {file.name} · {formatBytes(file.size, language)}
          </Text>
        </div>
        <CloseButton aria-label={isOver ? t.dismiss : t.cancel} onClick={() => uploads.cancel(upload.id)} />
      </div>
      <UploadState upload={upload} />
      {(stage === 'sending' || stage === 'completing' || stage === 'done') && <ReleaseChoice upload={upload} />}
    </article>
  );
}

function UploadState({ upload }: { upload: Upload }) {
  const t = useTexts().upload;
  const uploads = useUploads();
  const { stage, error, build, project } = upload;
  if (stage === 'refused') {
    return (
      <Alert color="red" role="alert" title={t.refusedTitle}>
        {error instanceof WrongFile && t.refusals[error.reason](project.platform)}
      </Alert>
    );
  }
  if (stage === 'asking') return <AskIdentity upload={upload} />;
  if (stage === 'failed') {
    const words = describeTransfer(error, t);
    if (words === undefined) return <Problem error={error} onRetry={() => uploads.retry(upload.id)} />;
    return (
      <Alert color="red" role="alert" title={words.title}>
        {words.text !== undefined && (
          <Text size="sm" mb="xs">
            {words.text}
          </Text>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={14} />}
          onClick={() => uploads.retry(upload.id)}
        >
          {t.retry}
        </Button>
      </Alert>
    );
  }
  if (stage === 'done' && build !== undefined) {
    return (
      <Text size="sm" role="status">
        {build.inspection_status === 'unreadable' ? t.doneUnreadable : t.done}{' '}
        <Link
          to="/projects/$projectId/builds/$buildId"
          params={{ projectId: project.identifier, buildId: build.identifier }}
          className="tw-link"
        >
          {t.open}
        </Link>
      </Text>
    );
  }
  return <UploadProgress upload={upload} />;
}

/** What went wrong on the way to the storage; undefined for what the API refused. */
function describeTransfer(error: unknown, t: Texts['upload']): { title: string; text?: string } | undefined {
  if (error instanceof ClaimHeld) return { title: t.held, text: t.heldText };
  if (!(error instanceof TransferFailure)) return undefined;
  if (error.status === 0) return { title: t.lost };
  if (error.status === 507) return { title: t.diskFull, text: t.diskFullText };
  if (error.status === 503) return { title: t.storageBusy };
  const mayHaveEnded = error.status < 500;
  return { title: t.storageRefused(error.status), ...(mayHaveEnded ? { text: t.linkEnded } : {}) };
}

function UploadProgress({ upload: { stage, progress } }: { upload: Upload }) {
  const t = useTexts().upload;
  const { language } = useSpeech();
  if (stage === 'recognising' || stage === 'completing' || progress === undefined) {
    return (
      <>
        <Progress value={100} animated aria-label={t.title} />
        <Text size="xs" c="dimmed" role="status">
          {stage === 'recognising' ? t.recognising : stage === 'completing' ? t.completing : t.starting}
        </Text>
      </>
    );
  }
  const { sent, total, rate } = progress;
  const left = rate === undefined || rate === 0 ? undefined : (total - sent) / rate;
  return (
    <>
      <Progress value={(sent / total) * 100} aria-label={t.title} />
      <Text size="xs" c="dimmed">
        {formatBytes(sent, language)} / {formatBytes(total, language)}
        {rate !== undefined && ` · ${t.perSecond(formatBytes(rate, language))}`}
        {left !== undefined && ` · ${t.left(formatDuration(left, language))}`}
      </Text>
    </>
  );
}

/** The two things that the file did not answer, or whose answer is taken. */
function AskIdentity({ upload }: { upload: Upload }) {
  const t = useTexts().upload;
  const uploads = useUploads();
  const { recognised, identity, error } = upload;
  const [version, setVersion] = useState(identity?.versionName ?? recognised?.versionName ?? '');
  const [build, setBuild] = useState(String(identity?.buildNumber ?? recognised?.buildNumber ?? ''));
  const number = toBuildNumber(build);
  const isTaken = error instanceof ApiError && error.code === 'already_exists';
  function start(event: FormEvent): void {
    event.preventDefault();
    if (number !== undefined && version.trim() !== '') {
      uploads.answer(upload.id, { versionName: version.trim(), buildNumber: number });
    }
  }
  return (
    <form onSubmit={start}>
      <Stack gap="xs">
        {error === undefined || isTaken ? (
          <Text size="sm" role={isTaken ? 'alert' : undefined}>
            {isTaken ? t.taken : t.ask}
          </Text>
        ) : (
          <Problem error={error} />
        )}
        <TextInput label={t.version} value={version} onChange={(event) => setVersion(event.currentTarget.value)} />
        <TextInput
          label={t.buildNumber}
          inputMode="numeric"
          value={build}
          error={build !== '' && number === undefined ? t.wholeNumber : undefined}
          onChange={(event) => setBuild(event.currentTarget.value)}
        />
        <Button type="submit" size="xs" disabled={number === undefined || version.trim() === ''}>
          {t.start}
        </Button>
      </Stack>
    </form>
  );
}

/** Picks the channel while the bytes are still on their way. */
function ReleaseChoice({ upload }: { upload: Upload }) {
  const t = useTexts().upload;
  const uploads = useUploads();
  const { project, channelId, release, releaseError, stage } = upload;
  const query = { organization_id: project.organization_id, project_id: project.identifier };
  const channels = useReadAll<Channel>('/channels', { query });
  const [chosen, setChosen] = useState('');
  if (!mayInProject(project, 'release.manage') || channels.data === undefined) return null;
  if (channels.data.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t.noChannels}{' '}
        <Link to="/projects/$projectId" params={{ projectId: project.identifier }} className="tw-link">
          {t.toChannels}
        </Link>
      </Text>
    );
  }
  const nameOf = (id: string) => channels.data.find(({ identifier }) => identifier === id)?.name ?? '';
  if (release !== undefined) {
    return (
      <Text size="sm" role="status">
        {t.released(nameOf(release.channel_id))}{' '}
        <Link
          to="/projects/$projectId/channels/$channelId"
          params={{ projectId: project.identifier, channelId: release.channel_id }}
          className="tw-link"
        >
          {t.openChannel}
        </Link>
      </Text>
    );
  }
  if (releaseError !== undefined && channelId !== undefined) {
    return <Problem error={releaseError} onRetry={() => uploads.releaseOnto(upload.id, channelId)} />;
  }
  if (channelId !== undefined) {
    return (
      <Text size="sm" c="dimmed">
        {stage === 'done' ? t.releasing : t.willRelease(nameOf(channelId))}
      </Text>
    );
  }
  return (
    <div className="tw-row">
      <NativeSelect
        className="tw-grow"
        size="xs"
        aria-label={t.channel}
        value={chosen}
        data={[
          { value: '', label: t.pickChannel },
          ...channels.data.map(({ identifier, name }) => ({ value: identifier, label: name })),
        ]}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <Button size="xs" disabled={chosen === ''} onClick={() => uploads.releaseOnto(upload.id, chosen)}>
        {t.release}
      </Button>
    </div>
  );
}
