// The list of uploads in the corner, with their progress and actions.
import { Alert, Button, CloseButton, Progress, Stack, Text, TextInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { displayBuildNumber } from '../../builds/build-number.ts';
import { formatBytes } from '../../lib/formats.ts';
import { ApiError } from '../api/errors.ts';
import { AppIcon } from '../components/app-icon.tsx';
import { formatBuild } from '../components/build-name.ts';
import { BuildStatus } from '../components/build-status.tsx';
import { ErrorAlert } from '../components/errors.tsx';
import { formatDuration } from '../components/times.ts';
import type { Texts } from '../texts/en.ts';
import { useLocale, useTexts } from '../texts/locale.ts';
import { parseBuildNumber, RejectedFile } from './read-package.ts';
import { ReleaseChoice } from './release-selection.tsx';
import { TransferError } from './transfer.ts';
import { useUploadList, useUploads } from './upload-context.tsx';
import { NumberReserved, type Upload } from './uploads.ts';

/** Renders nothing if there are no uploads. */
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
  const { language } = useLocale();
  const uploads = useUploads();
  const { file, recognised, stage, build } = upload;
  const name = recognised?.name ?? upload.project.name;
  const version = nameVersion(upload);
  const isOver =
    stage === 'done' || stage === 'refused' || stage === 'failed' || stage === 'asking' || stage === 'other_app';
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

function nameVersion({ project, recognised, identity, build }: Upload): string {
  if (build !== undefined) return ` ${formatBuild(build)}`;
  if (identity === undefined) return '';
  const { versionName, buildNumber } = identity;
  const packageBuildNumber = recognised?.packageBuildNumber ?? null;
  return ` ${versionName} (${displayBuildNumber({ platform: project.platform, buildNumber, packageBuildNumber })})`;
}

function UploadState({ upload }: { upload: Upload }) {
  const t = useTexts().upload;
  const uploads = useUploads();
  const { stage, error, build, project } = upload;
  if (stage === 'refused') {
    return (
      <Alert color="red" role="alert" title={t.rejectedTitle}>
        {error instanceof RejectedFile && t.refusals[error.reason](project.platform, error.found ?? project.platform)}
      </Alert>
    );
  }
  if (stage === 'other_app') return <AskOtherApp upload={upload} />;
  if (stage === 'asking') return <AskIdentity upload={upload} />;
  if (stage === 'failed') {
    const words = describeTransfer(error, t);
    if (words === undefined) return <ErrorAlert error={error} onRetry={() => uploads.retry(upload.id)} />;
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
      <div>
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
        <BuildStatus build={build} />
      </div>
    );
  }
  return <UploadProgress upload={upload} />;
}

/** Returns texts for errors of the transfer; undefined for API errors. */
function describeTransfer(error: unknown, t: Texts['upload']): { title: string; text?: string } | undefined {
  if (error instanceof NumberReserved) return { title: t.numberReserved, text: t.numberReservedText };
  if (!(error instanceof TransferError)) return undefined;
  if (error.status === 0) return { title: t.connectionLost };
  if (error.status === 507) return { title: t.diskFull, text: t.diskFullText };
  if (error.status === 503) return { title: t.storageBusy };
  const mayHaveEnded = error.status < 500;
  return { title: t.storageRejected(error.status), ...(mayHaveEnded ? { text: t.linkExpired } : {}) };
}

function UploadProgress({ upload: { stage, progress } }: { upload: Upload }) {
  const t = useTexts().upload;
  const { language } = useLocale();
  if (stage === 'recognising' || stage === 'completing' || progress === undefined) {
    return (
      <>
        <Progress value={100} animated aria-label={t.title} />
        <Text size="xs" c="dimmed" role="status">
          {stage === 'recognising' ? t.readingPackage : stage === 'completing' ? t.checkingPackage : t.starting}
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
        {left !== undefined && ` · ${t.timeLeft(formatDuration(left, language))}`}
      </Text>
    </>
  );
}

/** The package belongs to another app. Nothing was sent yet. */
function AskOtherApp({ upload: { id, project, recognised } }: { upload: Upload }) {
  const t = useTexts().releasing;
  const uploads = useUploads();
  return (
    <Alert color="yellow" role="alert" title={t.otherApp(project.name)}>
      <Text size="sm" mb="xs">
        {t.otherAppText(recognised?.bundleIdentifier ?? '', project.bundle_identifier ?? '')}
      </Text>
      <Button size="xs" variant="default" onClick={() => uploads.allowOtherApp(id)}>
        {t.uploadAnyway}
      </Button>
    </Alert>
  );
}

/** Asks for a version and build number that are missing in the package or taken. */
function AskIdentity({ upload }: { upload: Upload }) {
  const t = useTexts().upload;
  const uploads = useUploads();
  const { recognised, identity, error, nextNumber } = upload;
  const texts = useTexts();
  const [version, setVersion] = useState(identity?.versionName ?? recognised?.versionName ?? '');
  const [build, setBuild] = useState(String(identity?.buildNumber ?? recognised?.buildNumber ?? ''));
  const number = parseBuildNumber(build);
  const isTaken = error instanceof ApiError && error.code === 'already_exists';
  function start(event: FormEvent): void {
    event.preventDefault();
    if (number !== undefined && version.trim() !== '') {
      uploads.submitIdentity(upload.id, { versionName: version.trim(), buildNumber: number });
    }
  }
  return (
    <form onSubmit={start}>
      <Stack gap="xs">
        {error === undefined || isTaken ? (
          <Text size="sm" role={isTaken ? 'alert' : undefined}>
            {isTaken ? t.numberTaken : t.incompleteHint}
          </Text>
        ) : (
          <ErrorAlert error={error} />
        )}
        <TextInput label={t.version} value={version} onChange={(event) => setVersion(event.currentTarget.value)} />
        <TextInput
          label={t.buildNumber}
          inputMode="numeric"
          value={build}
          error={build !== '' && number === undefined ? t.wholeNumber : undefined}
          onChange={(event) => setBuild(event.currentTarget.value)}
        />
        {isTaken && nextNumber !== undefined && build !== String(nextNumber) && (
          <Button size="xs" variant="default" onClick={() => setBuild(String(nextNumber))}>
            {texts.releasing.nextNumber(nextNumber)}
          </Button>
        )}
        <Button type="submit" size="xs" disabled={number === undefined || version.trim() === ''}>
          {t.start}
        </Button>
      </Stack>
    </form>
  );
}
