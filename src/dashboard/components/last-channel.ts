// The channel that a user last released to in a project, stored in this browser.
import { storageKey } from '../api/storage-key.ts';

const nameOf = (developerId: string, projectId: string) => storageKey(`taxiway.channel.${developerId}.${projectId}`);

/** Returns the id, or null. */
export function readLastChannel(developerId: string, projectId: string): string | null {
  try {
    return localStorage.getItem(nameOf(developerId, projectId));
  } catch {
    return null;
  }
}

/** Stores the id for the next release. */
export function saveLastChannel(developerId: string, projectId: string, channelId: string): void {
  try {
    localStorage.setItem(nameOf(developerId, projectId), channelId);
  } catch {
    // Without storage, no channel is suggested.
  }
}

/**
 * Suggests a channel: the only one, or the one last used. Suggests none on which the build is already live, and doesn't
 * guess otherwise.
 */
export function suggestChannel(
  channels: readonly { identifier: string }[],
  lastId: string | null,
  liveIds: ReadonlySet<string>,
): string | undefined {
  const [only] = channels;
  const picked = channels.length === 1 ? only : channels.find(({ identifier }) => identifier === lastId);
  return picked === undefined || liveIds.has(picked.identifier) ? undefined : picked.identifier;
}

/** Suggests the newest build, unless it is already live. `builds` are newest first. */
export function suggestBuild(
  builds: readonly { identifier: string }[],
  liveId: string | undefined,
): string | undefined {
  const newest = builds[0]?.identifier;
  return newest === liveId ? undefined : newest;
}
