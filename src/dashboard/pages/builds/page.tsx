// The builds of a project. The list is read page by page, and only visible rows are rendered.
import { Badge, SegmentedControl } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import type { BuildDeviceCount } from '../../../builds/device-schema.ts';
import type { Build } from '../../../builds/schema.ts';
import type { Channel } from '../../../channels/schema.ts';
import { formatBytes } from '../../../lib/formats.ts';
import type { Release } from '../../../releases/schema.ts';
import { useRead, useReadAll, useReadPages } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { formatBuild } from '../../components/build-name.ts';
import { StatusLine, useDeviceCounts } from '../../components/build-status.tsx';
import { ErrorAlert, ErrorPage } from '../../components/errors.tsx';
import { EmptyState, Loading, PageHeader } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { UploadButton } from '../../upload/drop-zone.tsx';
import { inProject, useProject } from '../project/project-context.ts';
import { packageEnding, uploadCommand } from '../project/upload-command.ts';

const ROW_HEIGHT = 64;
const PAGE = 200;
/** How many rows before the end the next page is requested. */
const AHEAD = 60;
/** How many builds one request counts devices for. */
const COUNTED = 50;

const none: readonly string[] = [];

type Status = 'active' | 'revoked' | 'all';

export function Page() {
  const texts = useTexts();
  const t = texts.builds;
  const project = useProject();
  const [status, setStatus] = useState<Status>('active');
  const query = { ...inProject(project), status, limit: PAGE };
  const builds = useReadPages<Build>('/builds', { query });
  const channels = useChannelsByBuild();
  return (
    <>
      <PageHeader
        title={t.title}
        actions={
          <>
            <SegmentedControl
              size="xs"
              aria-label={t.status}
              value={status}
              onChange={(value) => setStatus(value === 'revoked' || value === 'all' ? value : 'active')}
              data={(['active', 'revoked', 'all'] as const).map((value) => ({ value, label: t.statuses[value] }))}
            />
            <UploadButton project={project} />
          </>
        }
      />
      {builds.rows === undefined ? (
        builds.error === null ? (
          <Loading rows={6} />
        ) : (
          <ErrorPage error={builds.error} onRetry={() => void builds.refetch()} />
        )
      ) : builds.rows.length === 0 ? (
        <EmptyState
          icon={<IconUpload size={40} stroke={1.4} aria-hidden />}
          title={status === 'revoked' ? t.noneRevoked : t.emptyTitle}
          text={status === 'revoked' ? t.noneRevokedText : t.emptyText(packageEnding(project))}
          {...(status === 'revoked' ? {} : { command: uploadCommand(project) })}
        />
      ) : (
        <BuildTable
          rows={builds.rows}
          channels={channels}
          hasMore={builds.hasNextPage}
          onEnd={() => {
            if (builds.hasNextPage && !builds.isFetchingNextPage && builds.error === null) void builds.fetchNextPage();
          }}
        />
      )}
      {builds.rows !== undefined && builds.error !== null && (
        <ErrorAlert error={builds.error} onRetry={() => void builds.fetchNextPage()} />
      )}
    </>
  );
}

/** Returns the names of the channels on which each build is live. */
function useChannelsByBuild(): ReadonlyMap<string, readonly string[]> {
  const query = inProject(useProject());
  const channels = useReadAll<Channel>('/channels', { query });
  const current = useRead<Release[]>('/releases/current', { query });
  return useMemo(() => {
    const names = new Map(channels.data?.map(({ identifier, name }) => [identifier, name]));
    const found = new Map<string, string[]>();
    for (const { build, channel_id: channelId } of current.data ?? []) {
      const name = names.get(channelId);
      if (name !== undefined) found.set(build.identifier, [...(found.get(build.identifier) ?? []), name]);
    }
    return found;
  }, [channels.data, current.data]);
}

interface BuildTableProps {
  rows: readonly Build[];
  channels: ReadonlyMap<string, readonly string[]>;
  hasMore: boolean;
  onEnd(): void;
}

function BuildTable({ rows, channels, hasMore, onEnd }: BuildTableProps) {
  const texts = useTexts();
  const t = texts.builds;
  const { name } = useProject();
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  // Rounded to whole parts of the list, so that scrolling by a row sends no new request.
  const firstCounted = Math.floor((items[0]?.index ?? 0) / COUNTED) * COUNTED;
  const lastCounted = Math.ceil((last + 1) / COUNTED) * COUNTED;
  const counts = useDeviceCounts(rows.slice(firstCounted, lastCounted));
  useEffect(() => {
    if (last >= rows.length - AHEAD) onEnd();
  }, [last, rows.length, onEnd]);
  return (
    <table className="tw-card tw-table" aria-label={t.title} aria-rowcount={hasMore ? -1 : rows.length + 1}>
      <thead className="tw-table-head">
        <tr aria-rowindex={1} className="tw-build-row">
          {[t.version, t.size, t.notes, t.channels, t.uploaded].map((title) => (
            <th scope="col" key={title}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} className="tw-table-body" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const build = rows[index];
          if (build === undefined) return null;
          return (
            <BuildRow
              key={build.identifier}
              build={build}
              name={name}
              index={index}
              start={start - top}
              count={counts.get(build.identifier)}
              channels={channels.get(build.identifier) ?? none}
            />
          );
        })}
      </tbody>
    </table>
  );
}

/** Memoized, so that scrolling doesn't render visible rows again. */
const BuildRow = memo(function BuildRow({
  build,
  name,
  index,
  start,
  count,
  channels,
}: {
  build: Build;
  /** The name of the app. */
  name: string;
  index: number;
  start: number;
  count: BuildDeviceCount | undefined;
  channels: readonly string[];
}) {
  const t = useTexts().builds;
  const { language } = useLocale();
  return (
    <tr
      aria-rowindex={index + 2}
      className="tw-build-row tw-table-row"
      style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
    >
      <td className="tw-row">
        <AppIcon src={build.icon_url} name={name} size={36} />
        <div className="tw-grow">
          <div className="tw-ellipsis">
            <Link
              to="/projects/$projectId/builds/$buildId"
              params={{ projectId: build.project_id, buildId: build.identifier }}
              className="tw-cover-link tw-strong"
            >
              {formatBuild(build)}
            </Link>{' '}
            {build.revoked_at !== null && (
              <Badge size="xs" color="red" variant="light">
                {t.revoked}
              </Badge>
            )}
            {build.inspection_status === 'unreadable' && (
              <Badge size="xs" color="yellow" variant="light">
                {t.unreadable}
              </Badge>
            )}
          </div>
          <StatusLine build={build} count={count} />
        </div>
      </td>
      <td>{formatBytes(build.size_bytes, language)}</td>
      <td className="tw-ellipsis">
        <span className="tw-row-notes">{build.release_notes?.split('\n', 1)[0] ?? ''}</span>
      </td>
      <td className="tw-ellipsis">
        {channels.map((channel) => (
          <Badge key={channel} size="sm">
            {channel}
          </Badge>
        ))}
      </td>
      <td>
        <RelativeTime at={build.uploaded_at} />
      </td>
    </tr>
  );
});
