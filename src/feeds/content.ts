// What the feeds of a channel contain: its current release, with the facts of its package.
import { createHash } from 'node:crypto';
import { findArchiveFacts } from '../builds/fact-store.ts';
import type { BuildRow } from '../builds/store.ts';
import type { Context } from '../core/context.ts';
import type { ArchiveFacts } from '../inspection/facts.ts';
import type { Place } from '../install/store.ts';
import { listServable, type ReleaseRow } from '../releases/store.ts';
import { findFeedState, saveFeedState } from './store.ts';

/** Releases in a feed: the current one, like install pages (docs/specification/installs.md). */
const MAX_RELEASES = 1;
/** Raised when the form of a document changes, so that clients load it again. */
const FORMAT = 1;

/** The feeds of a channel at their address. */
export interface Feed {
  place: Place;
  /** The id of a public channel, or a feed token: the part of the address. */
  key: string;
  /** The token of a private feed. */
  token: { id: string; developerId: string } | null;
}

export interface FeedItem {
  release: ReleaseRow;
  build: BuildRow;
  facts: ArchiveFacts | null;
  notes: string | null;
}

export interface FeedContent {
  items: readonly FeedItem[];
  /** Changes with the content, and with nothing else. */
  hash: string;
  /** When the content changed, in milliseconds since the epoch; later than any former content. */
  changedAt: number;
}

/** Returns the release that feeds offer, or none. */
export function listItems(ctx: Context, channelId: string): FeedItem[] {
  return listServable(ctx, channelId, MAX_RELEASES).map(({ release, build }) => ({
    release,
    build,
    facts: findArchiveFacts(ctx, build.id),
    notes: release.releaseNotes ?? build.releaseNotes,
  }));
}

/** Returns the content of a channel's feeds, and remembers when it changed. */
export function readContent(ctx: Context, { channel, projectName, organizationName }: Place): FeedContent {
  const items = listItems(ctx, channel.id);
  const parts = items.map(({ release, build, notes }) => [release.id, build.id, build.iconKey, notes]);
  const about = [FORMAT, ctx.config.server.base_url, channel.name, channel.description, projectName, organizationName];
  const hash = createHash('sha256')
    .update(JSON.stringify([about, parts]))
    .digest('hex');
  const known = findFeedState(ctx, channel.id);
  if (known?.contentHash === hash) return { items, hash, changedAt: known.changedAt };
  return ctx.transact(
    (tx) => {
      const changedAt = Math.max(tx.now, (findFeedState(tx, channel.id)?.changedAt ?? 0) + 1);
      saveFeedState(tx, { channelId: channel.id, contentHash: hash, changedAt });
      return { items, hash, changedAt };
    },
    { bookkeeping: true },
  );
}

/** Returns the name of the app as its package has it, or that of the project. */
export function nameApp({ facts }: FeedItem, { projectName }: Place): string {
  return facts?.applicationName || projectName;
}

/** Returns the address of a feed's files. */
export function feedUrl(ctx: Pick<Context, 'config'>, key: string): string {
  return `${ctx.config.server.base_url}/feeds/${encodeURIComponent(key)}`;
}
