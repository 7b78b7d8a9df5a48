// The rules for listing expiring items.
import { displayBuildNumber } from '../builds/build-number.ts';
import { developerIdOf } from '../core/actor.ts';
import type { OrganizationContext } from '../core/context.ts';
import type { Page } from '../core/paging.ts';
import { DAY, timestamp, timestampOrNull } from '../lib/clock.ts';
import { organizationRoleReaches } from '../permissions.ts';
import { compareText, type Expiring, findExpiring, positionOf } from './expiring-items.ts';
import type { ExpiringItem, ExpiringQuery } from './schema.ts';
import { listEndingOf, listLastWarnings, listProjectsOfMember } from './store.ts';

const DEFAULT_DAYS = 60;

/**
 * Returns profiles and certificates of current releases that expire within some days or have expired, earliest first.
 * Each release has its own entry, so that the affected channels are visible. Members see the projects they can access,
 * as in the list of projects, because the inspections of those builds contain the same facts.
 */
export function listExpiring(ctx: OrganizationContext, query: ExpiringQuery): Page<ExpiringItem> {
  const now = ctx.clock.now().getTime();
  const until = now + (query.days ?? DEFAULT_DAYS) * DAY;
  const isReachable = reachableProjects(ctx);
  const releases = listEndingOf(ctx, ctx.organization.id, until).filter(({ projectId }) => isReachable(projectId));
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

function reachableProjects(ctx: OrganizationContext): (projectId: string) => boolean {
  const { actor, organization } = ctx;
  if (actor.kind === 'project_access_token') return (projectId) => projectId === actor.projectId;
  if (organization.role !== undefined && organizationRoleReaches(organization.role, 'manager')) return () => true;
  const joined = listProjectsOfMember(ctx, developerIdOf(actor) ?? '');
  return (projectId) => joined.has(projectId);
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
