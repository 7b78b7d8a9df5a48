// The channels of the project as the route of a build.
import { Badge } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Build } from '../../../builds/schema.ts';
import type { Channel } from '../../../channels/schema.ts';
import type { ChannelOverview } from '../../../overviews/channel-schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { useApi } from '../../api/hooks.ts';
import { readSince } from '../../api/read-since.ts';
import { formatBuild } from '../../components/build-name.ts';
import { assignSigns, ChannelSign } from '../../components/channel-sign.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useTexts } from '../../texts/locale.ts';
import { usePreviewChannels } from '../project/preview-channels.ts';
import { inProject, useProject } from '../project/project-context.ts';
import { mayRelease } from './actions.tsx';
import { isReached, planRoute, type Stop } from './route-stops.ts';
import { listSearched } from './searched-channels.ts';

/**
 * Reads the newest release of the build on each channel where it isn't live. Channels are searched, because the API lists releases by
 * channel.
 */
function useReleases(build: Build, channels: readonly ChannelOverview[], previews: ReadonlySet<string>): Release[] {
  const client = useApi();
  const project = useProject();
  const isOfBuild = (release: Release) => release.build.identifier === build.identifier;
  const answers = useQueries({
    queries: listSearched(build, channels, previews).map(({ channel }) => {
      const path = '/releases';
      const query = { ...inProject(project), channel_id: channel.identifier };
      return {
        queryKey: [path, query, build.identifier],
        // Up to ten pages: too much to read again each time someone returns to the window.
        refetchOnWindowFocus: false,
        queryFn: async ({ signal }: { signal: AbortSignal }) => {
          const read = await readSince(client, path, { query, since: build.uploaded_at, isLast: isOfBuild, signal });
          return read.find(isOfBuild) ?? null;
        },
      };
    }),
  });
  return answers.flatMap(({ data }) => data ?? []);
}

interface RouteProps {
  build: Build;
  channels: readonly ChannelOverview[];
  /** Releases the build to a channel. */
  onRelease(channel: Channel): void;
}

export function BuildRoute({ build, channels, onRelease }: RouteProps) {
  const t = useTexts().builds.route;
  const { ids: previews } = usePreviewChannels();
  const stops = planRoute(build, channels, useReleases(build, channels, previews), previews);
  const isReleased = stops.some(isReached);
  const signs = assignSigns(
    channels.map(({ channel }) => channel),
    previews,
  );
  if (stops.length === 0) return null;
  return (
    <section aria-label={t.title}>
      <ol className="tw-route" style={{ '--stops': stops.length } as React.CSSProperties}>
        {stops.map((stop) => (
          <StopItem
            key={stop.overview.channel.identifier}
            build={build}
            stop={stop}
            isReleased={isReleased}
            isPreview={previews.has(stop.overview.channel.identifier)}
            sign={signs.get(stop.overview.channel.identifier) ?? '?'}
            onRelease={onRelease}
          />
        ))}
      </ol>
      {channels.some(({ channel }) => isHidden(channel, stops, previews)) && (
        <Link to="/projects/$projectId" params={{ projectId: build.project_id }} className="tw-text-link tw-aside-end">
          {t.all(channels.length - previews.size)}
        </Link>
      )}
    </section>
  );
}

/** Returns whether a channel that builds are promoted through isn't among the stops. */
function isHidden({ identifier }: Channel, stops: readonly Stop[], previews: ReadonlySet<string>): boolean {
  return !previews.has(identifier) && !stops.some(({ overview }) => overview.channel.identifier === identifier);
}

interface StopProps {
  build: Build;
  stop: Stop;
  sign: string;
  /** Whether the build was released to any channel. */
  isReleased: boolean;
  isPreview: boolean;
  onRelease(channel: Channel): void;
}

function StopItem({ build, stop, sign, isReleased, onRelease, isPreview }: StopProps) {
  const texts = useTexts();
  const t = texts.builds.route;
  const project = useProject();
  const { channel } = stop.overview;
  const isPromoted = isReleased && !isReached(stop);
  return (
    <li data-passed={stop.isPassed || undefined} data-preview={isPreview || undefined}>
      <ChannelSign sign={sign} isLarge isOff={!isReached(stop)} />
      <p className="tw-route-name">
        <Link
          to="/projects/$projectId/channels/$channelId"
          params={{ projectId: channel.project_id, channelId: channel.identifier }}
          className="tw-quiet-link tw-ellipsis"
        >
          {channel.name}
        </Link>
        {stop.isLive && <Badge>{t.live}</Badge>}
      </p>
      <StopState stop={stop} />
      {!stop.isLive && mayRelease(build, project) && (
        <button
          type="button"
          className="tw-text-link"
          aria-label={isPromoted ? t.promoteTo(channel.name) : texts.channels.releaseOnto(channel.name)}
          onClick={() => onRelease(channel)}
        >
          {isPromoted ? texts.channels.promote : texts.channels.release}
        </button>
      )}
    </li>
  );
}

function StopState({ stop: { overview, release, isLive } }: { stop: Stop }) {
  const texts = useTexts();
  const t = texts.builds.route;
  const { current_release: current, adoption, testers } = overview;
  if (isLive && current !== null) {
    return (
      <p className="tw-route-state">
        {t.released} <RelativeTime at={current.created_at} />
        {adoption !== null && testers > 0 && (
          <span className="tw-route-adoption">{texts.channels.card.adoption(adoption.testers, testers)}</span>
        )}
      </p>
    );
  }
  return (
    <p className="tw-route-state">
      {release !== undefined ? (
        <>
          {release.state === 'rolled_back' ? t.rolledBack : t.released} <RelativeTime at={release.created_at} />
        </>
      ) : current === null ? (
        t.nothingLive
      ) : (
        t.otherLive(formatBuild(current.build))
      )}
    </p>
  );
}
