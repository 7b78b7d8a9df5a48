// The builds of a project. The list is read page by page, and only visible rows are rendered.
import { Menu, Skeleton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { type Ref, useCallback, useImperativeHandle, useMemo, useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import type { ChannelOverview } from '../../../overviews/channel-schema.ts';
import { useReadPages } from '../../api/hooks.ts';
import { assignSigns } from '../../components/channel-sign.tsx';
import { ErrorAlert, ErrorPage } from '../../components/errors.tsx';
import { EmptyState, PageHeader } from '../../components/page.tsx';
import { useTexts } from '../../texts/locale.ts';
import { UploadButton } from '../../upload/drop-zone.tsx';
import {
  type BuildDialog,
  BuildDialogs,
  isDestructive,
  menuItems,
  useChannelOverviews,
  useDownload,
} from '../build/actions.tsx';
import { usePreviewChannels } from '../project/preview-channels.ts';
import { inProject, useProject } from '../project/project-context.ts';
import { packageEnding, uploadCommand } from '../project/upload-command.ts';
import { type BulkAction, BulkDialog, bulkActions, SelectionBar } from './bulk.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type BuildFilters, isNarrowed, readBuildFilters, toQuery } from './filters.ts';
import { LeavingBuilds } from './leaving.tsx';
import type { LiveChannel, RowAction } from './row.tsx';
import { type SearchProgress, useSearchProgress } from './search-progress.ts';
import { NothingYet, SearchedLine } from './searching.tsx';
import { useSelection } from './selection.ts';
import { SizeChart } from './size-chart.tsx';
import { BuildTable } from './table.tsx';

const PAGE = 200;

export function Page() {
  const texts = useTexts();
  const t = texts.builds;
  const project = useProject();
  const search = useSearch({ from: '/shell/projects/$projectId/builds' });
  // What is malformed is still in the search of the router.
  const filters = useMemo(() => readBuildFilters(search), [search]);
  const query = { ...inProject(project), ...toQuery(filters), limit: PAGE };
  const builds = useReadPages<Build>('/builds', { query });
  const channels = useLiveChannels();
  const { rows, hasNextPage, error, fetchNextPage } = builds;
  const { isOpenFor, act, dialogs } = useRowActions(rows?.[0]);
  const selection = useSelection(rows);
  const [action, setAction] = useState<BulkAction>();
  const [isChartOpen, setChartOpen] = useState(false);
  const isNarrow = isNarrowed(filters);
  const progress = useSearchProgress(builds, JSON.stringify(filters));
  return (
    <>
      <PageHeader title={t.title} actions={<UploadButton project={project} />} />
      <div className="tw-builds">
        <FilterBar filters={filters} />
        {rows !== undefined && rows.length > 1 && (
          <details className="tw-fold tw-size-chart" onToggle={({ currentTarget }) => setChartOpen(currentTarget.open)}>
            <summary>
              <IconChevronRight size={16} stroke={1.75} aria-hidden />
              <h2>{texts.comparison.chart.title}</h2>
            </summary>
            {isChartOpen && <SizeChart rows={rows} />}
          </details>
        )}
        {!isNarrow && <LeavingBuilds />}
        {rows === undefined || rows.length === 0 ? (
          <NoRows builds={builds} filters={filters} progress={progress} />
        ) : (
          <>
            <p className="tw-build-count">{t.count(rows.length, hasNextPage)}</p>
            <BuildTable
              rows={rows}
              channels={channels}
              openMenu={isOpenFor}
              hasMore={hasNextPage}
              selection={bulkActions(project).length > 0 ? selection : undefined}
              onAct={act}
              onEnd={progress.readOn}
            />
            {progress.isOpen && <SearchedLine progress={progress} />}
          </>
        )}
        {rows !== undefined && error !== null && <ErrorAlert error={error} onRetry={() => void fetchNextPage()} />}
        {selection.builds.length > 0 && (
          <SelectionBar count={selection.builds.length} onAction={setAction} onClear={selection.clear} />
        )}
      </div>
      {dialogs}
      <BulkDialog
        action={action}
        builds={selection.builds}
        onClose={() => setAction(undefined)}
        onDone={selection.remove}
      />
    </>
  );
}

interface NoRowsProps {
  builds: ReturnType<typeof useReadPages<Build>>;
  filters: BuildFilters;
  progress: SearchProgress;
}

/** The place of the table while no build is known: why there is none, or that some may follow. */
function NoRows({ builds: { rows, error, refetch }, filters, progress }: NoRowsProps) {
  const t = useTexts().builds;
  if (rows === undefined) {
    return error === null ? <TableSkeleton /> : <ErrorPage error={error} onRetry={() => void refetch()} />;
  }
  if (progress.isOpen) {
    // The error that ended the search is shown below.
    if (error !== null) return null;
    if (progress.isPaused) return <NothingYet progress={progress} />;
    return (
      <>
        <SearchedLine progress={progress} />
        <TableSkeleton />
      </>
    );
  }
  if (isNarrowed(filters)) {
    return <EmptyState drawing="search" title={t.filters.noneTitle} text={t.filters.noneText} />;
  }
  return <NoBuilds isRevoked={filters.status === 'revoked'} />;
}

function NoBuilds({ isRevoked }: { isRevoked: boolean }) {
  const t = useTexts().builds;
  const project = useProject();
  return isRevoked ? (
    <EmptyState drawing="search" title={t.noneRevoked} text={t.noneRevokedText} />
  ) : (
    <EmptyState
      drawing="upload"
      title={t.emptyTitle}
      text={t.emptyText(packageEnding(project))}
      command={uploadCommand(project)}
    />
  );
}

const skeletonRows = [1, 2, 3, 4, 5, 6, 7, 8];

/** The shape of the table while it is loading. */
function TableSkeleton() {
  const t = useTexts().common;
  return (
    <div className="tw-builds-loading" aria-busy="true">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      {skeletonRows.map((row) => (
        <div key={row}>
          <Skeleton height={32} width={32} radius={8} />
          <div className="tw-loading-lines">
            <Skeleton height={14} width={120} />
            <Skeleton height={12} width={180} />
          </div>
        </div>
      ))}
    </div>
  );
}

/** Returns the channels on which each build is live, by build id. */
function useLiveChannels(): ReadonlyMap<string, readonly LiveChannel[]> {
  const { data } = useChannelOverviews();
  const { ids: previews } = usePreviewChannels();
  return useMemo(() => {
    const overviews: readonly ChannelOverview[] = data ?? [];
    const signs = assignSigns(
      overviews.map(({ channel }) => channel),
      previews,
    );
    const found = new Map<string, LiveChannel[]>();
    for (const { channel, current_release: release, adoption, testers } of overviews) {
      if (release === null) continue;
      const { identifier, name } = channel;
      const live = { identifier, name, sign: signs.get(identifier) ?? '?', have: adoption?.testers ?? 0, testers };
      found.set(release.build.identifier, [...(found.get(release.build.identifier) ?? []), live]);
    }
    // The oldest channel first, as on the page of a build.
    for (const live of found.values()) live.sort((one, other) => (one.identifier < other.identifier ? -1 : 1));
    return found;
  }, [data, previews]);
}

/** What happens after a row's buttons: one menu and one dialog for all rows, because each would slow down scrolling. */
function useRowActions(firstBuild: Build | undefined) {
  const [menu, setMenu] = useState<{ build: Build; button: HTMLElement }>();
  const [chosen, setChosen] = useState<{ build: Build; dialog: BuildDialog | undefined }>();
  // Closed dialogs are on the page from the start, because they only return the focus if they were closed before.
  const dialogBuild = chosen?.build ?? firstBuild;
  const { download, errorDialog } = useDownload();
  const [start] = useState(() => ({ download }));
  start.download = download;
  const act = useCallback(
    (build: Build, action: RowAction, button: HTMLElement) => {
      if (action === 'download') void start.download(build);
      else if (action === 'release') setChosen({ build, dialog: 'release' });
      else setMenu((open) => (open?.button === button ? undefined : { build, button }));
    },
    [start],
  );
  const dialogs = (
    <>
      {menu !== undefined && (
        <RowMenu
          key={menu.build.identifier}
          build={menu.build}
          button={menu.button}
          onClose={() => setMenu(undefined)}
          onChosen={(dialog) => setChosen({ build: menu.build, dialog })}
        />
      )}
      {dialogBuild !== undefined && (
        <BuildDialogs
          build={dialogBuild}
          dialog={chosen?.dialog}
          onClose={() => setChosen({ build: dialogBuild, dialog: undefined })}
        />
      )}
      {errorDialog}
    </>
  );
  return { isOpenFor: menu?.build.identifier, act, dialogs };
}

/** Stands for a button that is already on the page. */
function ExistingButton({ button, ref }: { button: HTMLElement; ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => button, [button]);
  return null;
}

interface MenuProps {
  build: Build;
  /** The button that opened the menu. */
  button: HTMLElement;
  onChosen(dialog: BuildDialog): void;
  onClose(): void;
}

function RowMenu({ build, button, onChosen, onClose }: MenuProps) {
  const texts = useTexts();
  const items = menuItems(build, useProject(), texts);
  function close(): void {
    onClose();
    button.focus({ preventScroll: true });
  }
  return (
    <Menu opened onClose={close} position="bottom-end" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ExistingButton button={button} />
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ dialog, label }) => (
          <Menu.Item
            key={dialog}
            {...(isDestructive(dialog) ? { color: 'var(--bad)' } : {})}
            onClick={() => {
              // Dialogs return the focus to where it was when they opened.
              button.focus({ preventScroll: true });
              onChosen(dialog);
            }}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
