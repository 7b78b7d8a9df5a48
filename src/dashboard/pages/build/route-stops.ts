// The channels of a project as the route of a build: where it is live, where it was, and what is live elsewhere.
import type { Build } from '../../../builds/schema.ts';
import type { ChannelOverview } from '../../../overviews/channel-schema.ts';
import type { Release } from '../../../releases/schema.ts';

export interface Stop {
  overview: ChannelOverview;
  /** The newest release of the build on the channel. */
  release: Pick<Release, 'created_at' | 'state'> | undefined;
  isLive: boolean;
  /** Whether the build has come farther than this channel, so that the line to the next one is solid. */
  isPassed: boolean;
}

/** Returns whether the build is or was live on the channel. */
export function isReached({ isLive, release }: Pick<Stop, 'isLive' | 'release'>): boolean {
  return isLive || release !== undefined;
}

/** How many channels fit side by side. */
const MAX_STOPS = 4;

/**
 * Returns the stops, from the oldest channel to the newest. `releases` are those of the build, newest first. Of many
 * channels, those that the build was released to come first, then the oldest. A preview is a stop only for builds that were released
 * to it, and the last one.
 */
export function planRoute(
  build: Pick<Build, 'identifier'>,
  channels: readonly ChannelOverview[],
  releases: readonly Pick<Release, 'channel_id' | 'created_at' | 'state'>[],
  previews: ReadonlySet<string> = new Set(),
): Stop[] {
  const isPreview = ({ channel }: ChannelOverview) => previews.has(channel.identifier);
  const sorted = channels.toSorted((one, other) => (one.channel.identifier < other.channel.identifier ? -1 : 1));
  const found = [...sorted.filter((one) => !isPreview(one)), ...sorted.filter(isPreview)]
    .map((overview) => ({
      overview,
      isLive: overview.current_release?.build.identifier === build.identifier,
      release:
        releases.find(({ channel_id: id }) => id === overview.channel.identifier) ??
        (overview.current_release?.build.identifier === build.identifier ? overview.current_release : undefined),
    }))
    .filter((stop) => !isPreview(stop.overview) || isReached(stop));
  const ranked = [...found.filter(isReached), ...found.filter((stop) => !isReached(stop))].slice(0, MAX_STOPS);
  const shown = found.filter((stop) => ranked.includes(stop));
  const farthest = shown.findLastIndex((stop) => isReached(stop) && !isPreview(stop.overview));
  return shown.map((stop, index) => ({ ...stop, isPassed: index < farthest }));
}
