// The channel that a person released onto last in a project, in this browser.
import { ownKey } from '../api/own-key.ts';

const nameOf = (developerId: string, projectId: string) => ownKey(`taxiway.channel.${developerId}.${projectId}`);

/** Its id; null when there is none. */
export function readLastChannel(developerId: string, projectId: string): string | null {
  try {
    return localStorage.getItem(nameOf(developerId, projectId));
  } catch {
    return null;
  }
}

/** Remembers it for the next release. */
export function keepLastChannel(developerId: string, projectId: string, channelId: string): void {
  try {
    localStorage.setItem(nameOf(developerId, projectId), channelId);
  } catch {
    // None is chosen beforehand then.
  }
}

/**
 * The channel that is chosen beforehand: the only one there is, or else the one used last. Never one that serves the build
 * already, and never one for another reason, such as being the newest.
 */
export function pickChannel(
  channels: readonly { identifier: string }[],
  lastId: string | null,
  liveIds: ReadonlySet<string>,
): string | undefined {
  const [only] = channels;
  const picked = channels.length === 1 ? only : channels.find(({ identifier }) => identifier === lastId);
  return picked === undefined || liveIds.has(picked.identifier) ? undefined : picked.identifier;
}

/** The build that is chosen beforehand: the newest one, unless the channel serves it already. Builds come newest first. */
export function pickBuild(builds: readonly { identifier: string }[], liveId: string | undefined): string | undefined {
  const newest = builds[0]?.identifier;
  return newest === liveId ? undefined : newest;
}
