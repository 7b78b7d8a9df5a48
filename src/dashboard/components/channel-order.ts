// The order in which builds pass through the channels of a project.
import type { Release } from '../../releases/schema.ts';

interface Place {
  id: string;
  /** The channel that its current release was promoted from. */
  from: string | undefined;
}

/**
 * Returns channel ids in the order of promotion: a channel follows the one that its current release was promoted from.
 * Otherwise older channels come first, because most teams start with the channel that gets every build.
 */
export function orderChannels(
  channels: readonly { identifier: string }[],
  current: readonly Pick<Release, 'channel_id' | 'promoted_from'>[],
): string[] {
  const sources = new Map(current.map((release) => [release.channel_id, release.promoted_from?.channel_id]));
  let waiting: Place[] = channels
    .map(({ identifier: id }) => ({ id, from: sources.get(id) }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const ordered: string[] = [];
  while (waiting.length > 0) {
    const open = new Set(waiting.map(({ id }) => id));
    const next = waiting.find(({ from }) => from === undefined || !open.has(from)) ?? waiting[0];
    if (next === undefined) break;
    ordered.push(next.id);
    waiting = waiting.filter(({ id }) => id !== next.id);
  }
  return ordered;
}
