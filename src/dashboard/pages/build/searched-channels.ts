// Which channels are searched for earlier releases of a build.
import type { Build } from '../../../builds/schema.ts';
import type { ChannelOverview } from '../../../overviews/channel-schema.ts';

/** How many channels are searched, because each takes a request. */
const MAX_SEARCHED = 40;

/**
 * Returns the channels to search: those where the build isn't live, the oldest first, because they are shown first, then previews,
 * the newest first.
 */
export function listSearched(
  { identifier: id }: Pick<Build, 'identifier'>,
  channels: readonly ChannelOverview[],
  previews: ReadonlySet<string>,
): ChannelOverview[] {
  const searched = channels
    .filter(({ current_release: release }) => release?.build.identifier !== id)
    .toSorted((one, other) => (one.channel.identifier < other.channel.identifier ? -1 : 1));
  const isPreview = ({ channel }: ChannelOverview) => previews.has(channel.identifier);
  const [lasting, ofPreviews] = [searched.filter((one) => !isPreview(one)), searched.filter(isPreview)];
  return [...lasting, ...ofPreviews.toReversed()].slice(0, MAX_SEARCHED);
}
