// The tray in the corner: all uploads with their progress and actions. Folds to a bar with the total progress.
import { ActionIcon, Alert, Button, CloseButton, Progress, Stack, Text, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconRefresh, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { displayBuildNumber } from '../../builds/build-number.ts';
import { formatByteLimit, formatBytes } from '../../lib/formats.ts';
import { ApiError } from '../api/errors.ts';
import { AppIcon } from '../components/app-icon.tsx';
import { formatBuild } from '../components/build-name.ts';
import { BuildStatus } from '../components/build-status.tsx';
import { ErrorAlert, ServerMessage } from '../components/errors.tsx';
import { formatDuration } from '../components/times.ts';
import { mayInProject } from '../shell/current-user.ts';
import type { Texts } from '../texts/en.ts';
import { useLocale, useTexts } from '../texts/locale.ts';
import { parseBuildNumber } from './read-package.ts';
import { RejectedFile } from './rejected-file.ts';
import { ReleaseChoice } from './release-selection.tsx';
import { TransferError } from './transfer.ts';
import { useUploadList, useUploads } from './upload-context.tsx';
import { NumberReserved } from './upload-links.ts';
import { type Upload, UploadInterrupted } from './uploads.ts';

/** How long the result of an upload stays visible. */
const SEEN_MS = 8000;

/** Renders nothing if there are no uploads. */
export function UploadTray() {
  const t = useTexts().upload;
  const list = useUploadList();
  const [isFolded, setFolded] = useState(false);
  // Unfolds for a new file, a question, a failure and the last result.
  const news = list.filter(needsAttention).length;
  const isOver = list.every(({ stage }) => stage === 'done');
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when one of them changes
  useEffect(() => setFolded(false), [list.length, news, isOver]);
  if (list.length === 0) return null;
  const moving = list.filter((upload) => !needsAttention(upload));
  const percent = computePercent(moving);
  const isBusy = moving.some(({ stage }) => stage !== 'done');
  const hasFailed = list.some(({ stage }) => stage === 'failed' || stage === 'refused');
  const state = isBusy ? t.percent(percent) : hasFailed ? t.failed : news > 0 ? t.needsInput : null;
  const FoldIcon = isFolded ? IconChevronUp : IconChevronDown;
  return (
    <section className="tw-tray" aria-label={t.title} data-folded={isFolded || undefined}>
      <div className="tw-tray-head">
        <IconUpload size={16} stroke={1.75} aria-hidden />
        <h2>{t.count(list.length)}</h2>
        <span className="tw-tray-state" data-failed={hasFailed || undefined}>
          {state}
        </span>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={isFolded ? t.unfold : t.fold}
          aria-expanded={!isFolded}
          onClick={() => setFolded(!isFolded)}
        >
          <FoldIcon size={16} stroke={1.75} />
        </ActionIcon>
      </div>
      {isBusy && (
        <Progress
          size={3}
          radius={0}
          value={percent}
          color={hasFailed ? 'red' : 'accent'}
          aria-label={t.total}
          className="tw-tray-total"
        />
      )}
      <div className="tw-tray-list" hidden={isFolded}>
        {list.map((upload) => (
          <UploadCard key={upload.id} upload={upload} isAlone={list.length === 1} isShown={!isFolded} />
        ))}
      </div>
    </section>
  );
}

function needsAttention({ stage }: Upload): boolean {
  return stage === 'refused' || stage === 'failed' || stage === 'asking' || stage === 'other_app';
}

/** Returns how much of all files was sent, from 0 to 100. */
function computePercent(list: readonly Upload[]): number {
  const total = list.reduce((sum, { file }) => sum + file.size, 0);
  const sent = list.reduce((sum, { file, progress, stage }) => {
    return sum + (stage === 'done' || stage === 'completing' ? file.size : (progress?.sent ?? 0));
  }, 0);
  return total === 0 ? 0 : (sent / total) * 100;
}

interface CardProps {
  upload: Upload;
  /** Whether the bar of the tray is that of this upload. */
  isAlone: boolean;
  isShown: boolean;
}

function UploadCard({ upload, isAlone, isShown }: CardProps) {
  const t = useTexts().upload;
  const { language } = useLocale();
  const uploads = useUploads();
  const { file, packageInfo, stage, build } = upload;
  const name = packageInfo?.name ?? upload.project.name;
  const isEnded = stage === 'done' || needsAttention(upload);
  useRemoval(upload, isShown);
  return (
    <article className="tw-upload" aria-label={file.name}>
      <div className="tw-row">
        <AppIcon src={build?.icon_url ?? upload.project.icon_url} name={name} size={36} />
        <div className="tw-grow">
          <p className="tw-upload-name">
            {name}
            {nameVersion(upload)}
          </p>
          <p className="tw-upload-line">
            {isEnded || stage === 'reading' ? (
              <>
                {file.name} · {formatBytes(file.size, language)}
              </>
            ) : (
              <ProgressLine upload={upload} />
            )}
          </p>
        </div>
        <CloseButton aria-label={isEnded ? t.dismiss : t.cancel} onClick={() => uploads.cancel(upload.id)} />
      </div>
      <UploadState upload={upload} isAlone={isAlone} />
      {(stage === 'sending' || stage === 'completing' || stage === 'done') && <ReleaseChoice upload={upload} />}
    </article>
  );
}

/**
 * Removes an upload once its result was visible for a while and there is nothing left to choose. Waits while the pointer
 * or the keyboard is in the tray.
 */
function useRemoval(upload: Upload, isShown: boolean): void {
  const uploads = useUploads();
  const { id, stage, build, release, project } = upload;
  const isReleased = release !== undefined || (build?.released_to.length ?? 0) > 0;
  const isOver = isShown && stage === 'done' && (isReleased || !mayInProject(project, 'release.manage'));
  useEffect(() => {
    if (!isOver) return;
    const isInUse = () =>
      document.hidden || document.querySelector('.tw-tray:hover, .tw-tray :focus-visible, [role="dialog"]') !== null;
    let seen = 0;
    const timer = setInterval(() => {
      seen = isInUse() ? 0 : seen + 500;
      if (seen >= SEEN_MS) uploads.cancel(id);
    }, 500);
    return () => clearInterval(timer);
  }, [isOver, id, uploads]);
}

function nameVersion({ project, packageInfo, identity, build }: Upload): string {
  if (build !== undefined) return ` ${formatBuild(build)}`;
  if (identity === undefined) return '';
  const { versionName, buildNumber } = identity;
  const packageBuildNumber = packageInfo?.packageBuildNumber ?? null;
  return ` ${versionName} (${displayBuildNumber({ platform: project.platform, buildNumber, packageBuildNumber })})`;
}

function UploadState({ upload, isAlone }: Pick<CardProps, 'upload' | 'isAlone'>) {
  const { language, texts } = useLocale();
  const t = texts.upload;
  const uploads = useUploads();
  const { stage, error, build, project } = upload;
  if (stage === 'refused') {
    return (
      <Alert color="red" role="alert" title={t.rejectedTitle}>
        {error instanceof RejectedFile
          ? t.refusals[error.reason](
              project.platform,
              error.found ?? project.platform,
              formatByteLimit(error.maxBytes ?? 0, language),
            )
          : error instanceof ApiError && <ServerMessage message={error.message} />}
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
        <Text size="sm" role="status" className="tw-upload-done">
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
        <OverBudget build={build} />
      </div>
    );
  }
  if (stage === 'reading') {
    return (
      <Text size="xs" c="dimmed" role="status">
        {t.readingPackage}
      </Text>
    );
  }
  if (isAlone) return null;
  const { sent, total } = upload.progress ?? { sent: 0, total: 1 };
  return <Progress size={3} value={stage === 'completing' ? 100 : (sent / total) * 100} aria-label={t.title} />;
}

/** Returns texts for errors of the transfer; undefined for API errors. */
function describeTransfer(error: unknown, t: Texts['upload']): { title: string; text?: string } | undefined {
  if (error instanceof NumberReserved) return { title: t.numberReserved, text: t.numberReservedText };
  if (error instanceof UploadInterrupted) return { title: t.interrupted };
  if (!(error instanceof TransferError)) return undefined;
  if (error.status === 0) return { title: t.connectionLost };
  if (error.status === 507) return { title: t.diskFull, text: t.diskFullText };
  if (error.status === 503) return { title: t.storageBusy };
  const mayHaveEnded = error.status < 500;
  return { title: t.storageRejected(error.status), ...(mayHaveEnded ? { text: t.linkExpired } : {}) };
}

/** How far the upload is, its rate, and the time left. */
function ProgressLine({ upload: { stage, progress } }: { upload: Upload }) {
  const t = useTexts().upload;
  const { language } = useLocale();
  if (stage === 'completing') return <span role="status">{t.checkingPackage}</span>;
  if (progress === undefined) return <span role="status">{t.starting}</span>;
  const { sent, total, rate } = progress;
  const left = rate === undefined || rate === 0 ? undefined : (total - sent) / rate;
  return (
    <>
      {t.sentOf(formatBytes(sent, language), formatBytes(total, language))}
      {rate !== undefined && ` · ${t.perSecond(formatBytes(rate, language))}`}
      {left !== undefined && ` · ${t.timeLeft(formatDuration(left, language))}`}
    </>
  );
}

/** The package belongs to another app. Nothing was sent yet. */
function AskOtherApp({ upload: { id, project, packageInfo } }: { upload: Upload }) {
  const t = useTexts().releasing;
  const uploads = useUploads();
  return (
    <Alert color="yellow" role="alert" title={t.otherApp(project.name)}>
      <Text size="sm" mb="xs">
        {t.otherAppText(packageInfo?.bundleIdentifier ?? '', project.bundle_identifier ?? '')}
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
  const { packageInfo, identity, error, nextNumber } = upload;
  const texts = useTexts();
  const [version, setVersion] = useState(identity?.versionName ?? packageInfo?.versionName ?? '');
  const [build, setBuild] = useState(String(identity?.buildNumber ?? packageInfo?.buildNumber ?? ''));
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

/** Says by how much a build is larger than the budget of its project. */
function OverBudget({ build: { size_bytes: size, over_budget_bytes: over } }: { build: NonNullable<Upload['build']> }) {
  const t = useTexts().comparison.budget;
  const { language } = useLocale();
  if (over === null) return null;
  return (
    <Text size="sm" role="status" className="tw-upload-warning">
      {t.over(formatBytes(over, language), formatBytes(size - over, language))}
    </Text>
  );
}
