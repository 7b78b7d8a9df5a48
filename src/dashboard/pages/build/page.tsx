// The page of a build: who can install it, its channels, its package, and its actions.
import { Alert, Badge, Button, Menu, Skeleton } from '@mantine/core';
import { IconAlertTriangle, IconDots, IconDownload, IconPin } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Build, BuildInspection } from '../../../builds/schema.ts';
import type { Channel } from '../../../channels/schema.ts';
import type { ChannelOverview } from '../../../overviews/channel-schema.ts';
import { useRead } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { BuildStatus } from '../../components/build-status.tsx';
import { BudgetWarning } from '../../components/comparison.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { QueryContent } from '../../components/page.tsx';
import { ReleaseNotes } from '../../components/release-notes.tsx';
import { SharingButton } from '../../components/sharing-button.tsx';
import { SourceChips } from '../../components/source-chips.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { Uploader } from '../../components/uploader.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { usePreviewChannels } from '../project/preview-channels.ts';
import { useProject } from '../project/project-context.ts';
import {
  type BuildDialog,
  BuildDialogs,
  isDestructive,
  mayDownload,
  mayRelease,
  menuItems,
  useChannelOverviews,
  useDownload,
} from './actions.tsx';
import { BuildDevices } from './devices.tsx';
import { BuildFacts } from './facts.tsx';
import { BuildHeading } from './heading.tsx';
import { Findings, InspectionParts } from './inspection.tsx';
import { PublishJobs } from './publish.tsx';
import { BuildRoute } from './route.tsx';

export function Page() {
  const { buildId } = useParams({ from: '/shell/projects/$projectId/builds/$buildId' });
  return <Content key={buildId} id={buildId} />;
}

function Content({ id }: { id: string }) {
  const build = useRead<Build>(`/builds/${id}`);
  const inspection = useRead<BuildInspection>(`/builds/${id}/inspection`);
  const channels = useChannelOverviews();
  // Shown together, because each part would move what is below it.
  const previews = usePreviewChannels();
  const isWaiting = build.error === null && (inspection.isPending || channels.isPending || previews.isPending);
  // Only once, because what couldn't be read is read again later, and dialogs keep what was typed.
  const [wasShown, setWasShown] = useState(false);
  if (!isWaiting && !wasShown) setWasShown(true);
  if (isWaiting && !wasShown) return <BuildSkeleton />;
  return (
    <QueryContent read={build} loading={<BuildSkeleton />}>
      {(data) => <BuildPage build={data} inspection={inspection} channels={channels} />}
    </QueryContent>
  );
}

/** The shape of the page, so that nothing moves when the build is there. */
function BuildSkeleton() {
  const texts = useTexts();
  return (
    <div className="tw-build-page" aria-busy="true">
      <span className="tw-offscreen" role="status">
        {texts.common.loading}
      </span>
      <div className="tw-build-head">
        <div className="tw-build-name">
          <Skeleton height={24} width={140} />
          <Skeleton height={20} width={320} mt={4} />
        </div>
      </div>
      <div className="tw-build-columns">
        <div className="tw-build-main">
          <Skeleton height={76} />
          <Skeleton height={96} />
          <Skeleton height={200} />
        </div>
        <Skeleton height={240} />
      </div>
    </div>
  );
}

interface BuildPageProps {
  build: Build;
  inspection: { data: BuildInspection | undefined; error: unknown; refetch(): unknown };
  channels: { data: readonly ChannelOverview[] | undefined; error: unknown; refetch(): unknown };
}

function BuildPage({ build, inspection, channels }: BuildPageProps) {
  const texts = useTexts();
  const t = texts.builds;
  const navigate = useNavigate();
  const project = useProject();
  const [chosen, setChosen] = useState<{ dialog?: BuildDialog; channel?: Channel | undefined }>({});
  const { download, errorDialog } = useDownload();
  const content = inspection.data?.content;
  const hasDevices = build.platform === 'ios';
  return (
    <div className="tw-build-page">
      <BuildHeading
        build={build}
        actions={
          <Actions build={build} onDownload={() => void download(build)} onChosen={(dialog) => setChosen({ dialog })} />
        }
      >
        <BuildStatus build={build} />
        {build.pinned_at !== null && (
          <Badge color="gray" leftSection={<IconPin size={12} stroke={1.75} />} title={t.pinEffect}>
            {t.pinned}
          </Badge>
        )}
        <Uploader build={build} />
        <span className="tw-small">
          {t.uploaded} <RelativeTime at={build.uploaded_at} />
        </span>
        <SourceChips build={build} />
      </BuildHeading>
      {build.revoked_at !== null && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t.revoked}>
          {t.revokedText} <RelativeTime at={build.revoked_at} />
        </Alert>
      )}
      <BudgetWarning build={build} project={project} />
      {inspection.data !== undefined && <Findings inspection={inspection.data} />}
      <div className="tw-build-columns">
        <div className="tw-build-main">
          {channels.data === undefined ? (
            channels.error !== null && <ErrorAlert error={channels.error} onRetry={() => void channels.refetch()} />
          ) : (
            <BuildRoute
              build={build}
              channels={channels.data}
              onRelease={(channel) => setChosen({ dialog: 'release', channel })}
            />
          )}
          <Notes build={build} onEdit={() => setChosen({ dialog: 'notes' })} />
          {hasDevices && <BuildFacts build={build} content={content} />}
          {inspection.error !== null && (
            <ErrorAlert error={inspection.error} onRetry={() => void inspection.refetch()} />
          )}
          {content && <InspectionParts content={content} />}
          <PublishJobs build={build} />
        </div>
        <aside aria-label={hasDevices ? texts.devices.title : t.details}>
          {hasDevices ? <BuildDevices build={build} /> : <BuildFacts build={build} content={content} isNarrow />}
        </aside>
      </div>
      {errorDialog}
      <BuildDialogs
        build={build}
        dialog={chosen.dialog}
        channel={chosen.channel}
        onClose={() => setChosen(({ channel }) => ({ channel }))}
        onDeleted={() =>
          navigate({ to: '/projects/$projectId/builds', params: { projectId: build.project_id }, ignoreBlocker: true })
        }
      />
    </div>
  );
}

interface ActionsProps {
  build: Build;
  onDownload(): void;
  onChosen(dialog: BuildDialog): void;
}

function Actions({ build, onDownload, onChosen }: ActionsProps) {
  const texts = useTexts();
  const project = useProject();
  const items = menuItems(build, project, texts);
  return (
    <>
      {mayDownload(build, project) && (
        <SharingButton target={{ name: formatBuild(build), build_id: build.identifier }} />
      )}
      {mayDownload(build, project) && (
        <Button variant="default" leftSection={<IconDownload size={16} stroke={1.75} />} onClick={onDownload}>
          {texts.builds.download}
        </Button>
      )}
      <Button
        variant="default"
        renderRoot={(properties) => (
          <Link
            to="/projects/$projectId/builds/$buildId/compare"
            params={{ projectId: build.project_id, buildId: build.identifier }}
            {...properties}
          />
        )}
      >
        {texts.comparison.action}
      </Button>
      {mayRelease(build, project) && <Button onClick={() => onChosen('release')}>{texts.channels.release}</Button>}
      {items.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="subtle" color="gray" aria-label={texts.common.more} className="tw-icon-button">
              <IconDots size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {items.map(({ dialog, label }) => (
              <Menu.Item
                key={dialog}
                {...(isDestructive(dialog) ? { color: 'var(--bad)' } : {})}
                onClick={() => onChosen(dialog)}
              >
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}

function Notes({ build, onEdit }: { build: Build; onEdit(): void }) {
  const texts = useTexts();
  const project = useProject();
  return (
    <section aria-labelledby="build-notes">
      <div className="tw-part-head">
        <h2 id="build-notes" className="tw-part-title">
          {texts.channels.releaseNotes}
        </h2>
        {mayInProject(project, 'build.upload') && (
          <Button variant="subtle" color="gray" size="xs" aria-label={texts.builds.editNotes} onClick={onEdit}>
            {texts.common.edit}
          </Button>
        )}
      </div>
      {build.release_notes === null ? (
        <p className="tw-small tw-bare">{texts.builds.noNotes}</p>
      ) : (
        <ReleaseNotes notes={build.release_notes} />
      )}
    </section>
  );
}
