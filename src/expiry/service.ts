// The rules for listing expiring items.
import { displayBuildNumber } from '../builds/build-number.ts';
import { listChannels } from '../channels/store.ts';
import type { OrganizationContext } from '../core/context.ts';
import { FIRST_PAGE, type Page } from '../core/paging.ts';
import { DAY, timestamp, timestampOrNull } from '../lib/clock.ts';
import { startSteps } from '../lib/steps.ts';
import { listReachable } from '../projects/service.ts';
import { compareText, type Expiring, findExpiring, positionOf } from './expiring-items.ts';
import type { ExpiringItem, ExpiringQuery } from './schema.ts';
import { findEnding, listLastWarnings, type SignedRelease } from './store.ts';

const DEFAULT_DAYS = 60;
const ROWS_PER_READ = 100;

/**
 * Returns profiles and certificates of current releases that expire within some days or have expired, earliest first.
 * Each release has its own entry, so that the affected channels are visible. Members see the projects they can access,
 * as in the list of projects, because the inspections of those builds contain the same facts.
 */
export async function listExpiring(ctx: OrganizationContext, query: ExpiringQuery): Promise<Page<ExpiringItem>> {
  const now = ctx.clock.time();
  const until = now + (query.days ?? DEFAULT_DAYS) * DAY;
  const releases = await collectEnding(ctx, until);
  const { page_size_default, page_size_maximum } = ctx.config.limits;
  const limit = Math.min(query.limit ?? page_size_default, page_size_maximum);
  const rest = findExpiring(releases, until).filter(isAfter(query.cursor));
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const warnings = listLastWarnings(ctx, ctx.organization.id);
  return {
    items: shown.map((thing) => toExpiring(thing, now, warnings)),
    next_cursor: rest.length > limit && last !== undefined ? writeCursor(last) : null,
  };
}

/** Reads one channel after the other, so that other requests can run in between. */
async function collectEnding(ctx: OrganizationContext, until: number): Promise<SignedRelease[]> {
  const step = startSteps();
  const found: SignedRelease[] = [];
  for (const { id: projectId } of eachOf((before) => listReachable(ctx, before, ROWS_PER_READ))) {
    await step();
    for (const { id } of eachOf((before) => listChannels(ctx, projectId, before, ROWS_PER_READ))) {
      await step();
      const release = findEnding(ctx, id, until);
      if (release !== undefined) found.push(release);
    }
  }
  return found;
}

/** Iterates over all rows of a list that is read in pages, newest first. */
function* eachOf<Row extends { id: string }>(read: (before: string) => Row[]): Generator<Row> {
  let before = FIRST_PAGE;
  for (;;) {
    const rows = read(before);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_READ) return;
    before = last.id;
  }
}

function toExpiring(thing: Expiring, now: number, warnings: ReadonlyMap<string, number>): ExpiringItem {
  const { release, expiresAt } = thing;
  return {
    kind: thing.kind,
    name: thing.name,
    platform: release.platform,
    expires_at: timestamp(expiresAt),
    is_expired: expiresAt <= now,
    days_left: Math.max(0, Math.floor((expiresAt - now) / DAY)),
    project_id: release.projectId,
    project_name: release.projectName,
    channel_id: release.channelId,
    channel_name: release.channelName,
    release_id: release.releaseId,
    build_id: release.buildId,
    version_name: release.versionName,
    build_number: release.buildNumber,
    display_build_number: displayBuildNumber(release),
    last_warned_at: timestampOrNull(warnings.get(thing.subject) ?? null),
  };
}

function writeCursor(thing: Expiring): string {
  return Buffer.from(`${thing.expiresAt}/${positionOf(thing)}`, 'latin1').toString('base64url');
}

/** A malformed cursor restarts at the first page (docs/specification/conventions.md#lists). */
function isAfter(cursor: string | undefined): (thing: Expiring) => boolean {
  const decoded = Buffer.from(cursor ?? '', 'base64url').toString('latin1');
  const [, at, position = ''] = /^(-?\d{1,15})\/([0-9a-f-]{36}\/[a-z]+)$/.exec(decoded) ?? [];
  if (at === undefined) return () => true;
  return (thing) =>
    thing.expiresAt > Number(at) || (thing.expiresAt === Number(at) && compareText(positionOf(thing), position) > 0);
}
