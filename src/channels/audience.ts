// Tester access to channels: the only definition, used by all reads, emails and downloads.

import type { App, Removal, Tx } from '../core/context.ts';
import { notRemoved } from '../core/removal.ts';
import { type Db, prepared } from '../data/database.ts';
import { startSteps } from '../lib/steps.ts';
import type { Platform } from '../platforms.ts';

/**
 * A tester has access to a channel by a grant for it, its project or its organization, or as a member of a group with a
 * grant for it or its project. Public channels don't require any of this. Members of the organization aren't testers by
 * their membership.
 */
export interface ReachableChannel {
  id: string;
  projectId: string;
  organizationId: string;
}

const NOWHERE = '00000000-0000-0000-0000-000000000000';
/** A channel that doesn't exist, for lookups that are the same for missing channels. */
export const noChannel: ReachableChannel = { id: NOWHERE, projectId: NOWHERE, organizationId: NOWHERE };

type Ctx = Pick<App, 'db'>;
const query = <Row>(sql: string) =>
  prepared((db: Db) => db.$client.prepare<[Record<string, string | number>], Row>(sql));

/** The ids of the organizations, projects and channels that a developer has access to. */
const TARGETS_OF_DEVELOPER = `
  SELECT target_id FROM tester_grants WHERE developer_id = +:developerId
  UNION
  SELECT g.target_id FROM tester_group_members m JOIN tester_group_grants g ON g.group_id = m.group_id
   WHERE m.developer_id = +:developerId AND ${notRemoved('g.group_id')}`;

const reachOf = query<{ reaches: number }>(`
  WITH targets AS (${TARGETS_OF_DEVELOPER})
  SELECT EXISTS (
    SELECT 1 FROM channels c JOIN targets t ON t.target_id IN (c.id, c.project_id, c.organization_id)
     WHERE c.id = +:channelId AND ${notRemoved('c.project_id')}) AS reaches`);

/** Returns whether a developer has access to a channel as a tester. Returns false if the channel doesn't exist. */
export function reachesChannel(ctx: Ctx, developerId: string, channelId: string): boolean {
  return reachOf(ctx).get({ developerId, channelId })?.reaches === 1;
}

/** Channels on which a build is searched, so that reads stay cheap. */
const MAX_CHANNELS_OF_BUILD = 100;

const reachedOfBuild = query<{ id: string }>(`
  WITH targets AS (${TARGETS_OF_DEVELOPER})
  SELECT c.id FROM (
    SELECT DISTINCT channel_id FROM releases WHERE build_id = +:buildId AND state = 'active' LIMIT +:max) r
    JOIN channels c ON c.id = r.channel_id
   WHERE (c.id IN targets OR c.project_id IN targets OR c.organization_id IN targets) AND ${notRemoved('c.project_id')}`);

/**
 * Returns the channels with an active release of a build that a developer has access to as a tester, of at most 100 with one. It
 * may not be their current release.
 */
export function listReachedWith(ctx: Ctx, developerId: string, buildId: string): string[] {
  return reachedOfBuild(ctx)
    .all({ developerId, buildId, max: MAX_CHANNELS_OF_BUILD })
    .map(({ id }) => id);
}

/** The targets whose grants, and groups with grants, give access. */
interface Ways {
  grants: readonly ('channelId' | 'projectId' | 'organizationId')[];
  groups: readonly ('channelId' | 'projectId')[];
}

const TO_PROJECT: Ways = { grants: ['projectId', 'organizationId'], groups: ['projectId'] };
const TO_CHANNEL_ALONE: Ways = { grants: ['channelId'], groups: ['channelId'] };
const TO_CHANNEL: Ways = {
  grants: [...TO_CHANNEL_ALONE.grants, ...TO_PROJECT.grants],
  groups: [...TO_CHANNEL_ALONE.groups, ...TO_PROJECT.groups],
};

const OLDEST_FIRST = { comparison: '> +:after', order: 'ASC' };
const NEWEST_FIRST = { comparison: '< +:before', order: 'DESC' };

/**
 * The ids of developers with access, from each grant and each group at most as many as the requested page has. So neither deep pages
 * nor large groups cost more. A person with several grants appears once. `only` restricts the groups.
 */
function waysTo({ grants, groups }: Ways, { comparison, order }: typeof OLDEST_FIRST, only = ''): string {
  const cut = `t.developer_id ${comparison} ORDER BY t.developer_id ${order} LIMIT +:limit`;
  const granted = grants.map(
    (target) =>
      `SELECT developer_id FROM (SELECT t.developer_id FROM tester_grants t WHERE t.target_id = +:${target} AND ${cut})`,
  );
  return `
  ${granted.join(' UNION ')}
  UNION
  SELECT m.developer_id FROM tester_group_grants g ${only} JOIN tester_group_members m ON m.group_id = g.group_id
      AND m.developer_id IN (SELECT t.developer_id FROM tester_group_members t WHERE t.group_id = g.group_id AND ${cut})
   WHERE g.target_id IN (${groups.map((target) => `+:${target}`).join(', ')}) AND ${notRemoved('g.group_id')}`;
}

export interface ReachingTester {
  id: string;
  email: string;
  displayName: string;
  /** Null while the email address isn't verified. */
  emailVerifiedAt: number | null;
  /** When the tester muted the channel; null if not muted. */
  mutedAt: number | null;
}

const TESTER_COLUMNS = `d.id, d.email, d.display_name AS displayName, d.email_verified_at AS emailVerifiedAt,
  (SELECT u.muted_at FROM channel_mutes u WHERE u.channel_id = +:channelId AND u.developer_id = d.id) AS mutedAt`;

const PAGE_OF_CHANNEL = `
  WITH ways AS (${waysTo(TO_CHANNEL, NEWEST_FIRST)})
  SELECT ${TESTER_COLUMNS} FROM ways w JOIN developers d ON d.id = w.developer_id
   ORDER BY d.id DESC LIMIT +:limit`;
const pageOfTesters = query<ReachingTester>(PAGE_OF_CHANNEL);

/** Returns the testers of a channel, each once, newest account first, with ids below `before`. */
export function listReaching(
  ctx: Ctx,
  { id, projectId, organizationId }: ReachableChannel,
  { before, limit }: { before: string; limit: number },
): ReachingTester[] {
  return pageOfTesters(ctx).all({ channelId: id, projectId, organizationId, before, limit });
}

type Place = Pick<ReachableChannel, 'projectId' | 'organizationId'>;

/** A page of a count: how many of its people count, and its last person; null if it's empty. */
interface CountedPage {
  total: number;
  last: string | null;
}

const PAGE_OF_PROJECT = `
  WITH w AS (SELECT developer_id FROM (${waysTo(TO_PROJECT, OLDEST_FIRST)}) ORDER BY developer_id LIMIT +:limit)
  SELECT count(*) AS total, max(developer_id) AS last FROM w`;
const pageOfProject = query<CountedPage>(PAGE_OF_PROJECT);

/** Returns the number of testers with access to all channels of a project, each counted once. */
export function countReachingProject(ctx: Ctx, { projectId, organizationId }: Place): Promise<number> {
  return keepCount(ctx, organizationId, projectId, (page) =>
    pageOfProject(ctx).get({ projectId, organizationId, ...page }),
  );
}

/** SQL that matches if developer `w` has access to one of the targets, or through groups to one of `groups`. */
export const reachesAny = (targets: string, groups: string) => `
  (EXISTS (SELECT 1 FROM tester_grants t WHERE t.target_id IN (${targets}) AND t.developer_id = w.developer_id)
   OR EXISTS (SELECT 1 FROM tester_group_grants g
      JOIN tester_group_members m ON m.group_id = g.group_id AND m.developer_id = w.developer_id
     WHERE g.target_id IN (${groups}) AND ${notRemoved('g.group_id')}))`;

const PAGE_OF_CHANNEL_ALONE = `
  WITH w AS (SELECT developer_id FROM (${waysTo(TO_CHANNEL_ALONE, OLDEST_FIRST)}) ORDER BY developer_id LIMIT +:limit)
  SELECT count(*) FILTER (WHERE NOT ${reachesAny('+:projectId, +:organizationId', '+:projectId')}) AS total,
    max(developer_id) AS last FROM w`;
const pageOfChannelAlone = query<CountedPage>(PAGE_OF_CHANNEL_ALONE);

/**
 * Returns the number of testers of a channel, each counted once. `ofProject` of them have access to all channels of its
 * project.
 */
export async function countReaching(
  ctx: Ctx,
  { id, projectId, organizationId }: ReachableChannel,
  ofProject: number,
): Promise<number> {
  const others = await keepCount(ctx, organizationId, id, (page) =>
    pageOfChannelAlone(ctx).get({ channelId: id, projectId, organizationId, ...page }),
  );
  return ofProject + others;
}

const accessVersion = query<{ version: number }>(
  'SELECT version FROM access_versions WHERE organization_id = +:organizationId',
);

/** Returns a number that rises with each change of who has access in an organization as a tester. */
export function readAccessVersion(ctx: Ctx, organizationId: string): number {
  return accessVersion(ctx).get({ organizationId })?.version ?? 0;
}

const deleteAccessVersion = prepared((db) =>
  db.$client.prepare<[string]>('DELETE FROM access_versions WHERE organization_id = ?'),
);

/** Deletes the number of an organization that is deleted: deleting its groups and grants raises it. Returns the number of rows deleted. */
export function forgetAccessVersion(tx: Tx, { rootId }: Pick<Removal, 'rootId'>): number {
  return deleteAccessVersion(tx).run(rootId).changes;
}

/** Counts of testers by project or channel, with the version of the access at which they began. */
const keptCounts = prepared(() => new Map<string, { version: number; total: Promise<number> }>());
const MAX_KEPT = 10_000;
/** People counted in one step: large groups take a few milliseconds. */
const PAGE = 200;

type CountPage = (page: { after: string; limit: number }) => CountedPage | undefined;

/** Returns a count that is valid until the access of testers changes. */
function keepCount(ctx: Ctx, organizationId: string, id: string, countPage: CountPage): Promise<number> {
  const version = readAccessVersion(ctx, organizationId);
  const kept = keptCounts(ctx);
  const known = kept.get(id);
  if (known?.version === version) return known.total;
  const total = countInSteps(countPage);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(id, { version, total });
  total.catch(() => {
    if (kept.get(id)?.total === total) kept.delete(id);
  });
  return total;
}

async function countInSteps(countPage: CountPage): Promise<number> {
  const step = startSteps();
  let total = 0;
  for (let after: string | null = ''; after !== null; await step()) {
    const page: CountedPage | undefined = countPage({ after, limit: PAGE });
    total += page?.total ?? 0;
    after = page?.last ?? null;
  }
  return total;
}

const PAGE_OF_NOTIFIED = `
  WITH ways AS (${waysTo(TO_CHANNEL, OLDEST_FIRST, 'JOIN tester_groups o ON o.id = g.group_id AND o.notify_on_release = 1')})
  SELECT ${TESTER_COLUMNS}, d.locked_at AS lockedAt, d.locale FROM ways w JOIN developers d ON d.id = w.developer_id
   ORDER BY d.id LIMIT +:limit`;
export interface NotifiedTester extends ReachingTester {
  lockedAt: number | null;
  /** The language tag that they chose. */
  locale: string | null;
}

const partOfNotified = query<NotifiedTester>(PAGE_OF_NOTIFIED);

/** The SQL texts of the pages that are listed or counted, for tests of their query plans. */
export const reachPages = [PAGE_OF_CHANNEL, PAGE_OF_PROJECT, PAGE_OF_CHANNEL_ALONE, PAGE_OF_NOTIFIED];

/**
 * Returns testers who are notified about releases of a channel, each once, oldest account first, with ids above
 * `after`. Groups with notifications switched off don't count. The caller checks mutes and permissions.
 */
export function listNotified(
  ctx: Ctx,
  { id, projectId, organizationId }: ReachableChannel,
  { after, limit }: { after: string; limit: number },
): NotifiedTester[] {
  return partOfNotified(ctx).all({ channelId: id, projectId, organizationId, after, limit });
}

const organizationsOf = query<{ id: string; name: string; createdAt: number }>(`
  WITH reached AS (
    SELECT organization_id FROM tester_grants
     WHERE developer_id = +:developerId AND ${notRemoved('target_id')} AND ${notRemoved('project_id')}
    UNION
    SELECT g.organization_id FROM tester_group_members m JOIN tester_group_grants g ON g.group_id = m.group_id
     WHERE m.developer_id = +:developerId AND ${notRemoved('g.group_id')} AND ${notRemoved('g.target_id')}
       AND ${notRemoved('g.project_id')})
  SELECT o.id, o.name, o.created_at AS createdAt FROM reached r JOIN organizations o ON o.id = r.organization_id
   WHERE o.id < +:before ORDER BY o.id DESC LIMIT +:limit`);

/** Returns the organizations in which a developer is a tester, newest first, with ids below `before`. */
export function organizationsReached(
  ctx: Ctx,
  developerId: string,
  { before, limit }: { before: string; limit: number },
) {
  return organizationsOf(ctx).all({ developerId, before, limit });
}

export interface ReachedProject {
  id: string;
  organizationId: string;
  name: string;
  description: string | null;
  platform: Platform;
  /** Ids of the reached projects of the same app, separated by commas; null without any. */
  siblingIds: string | null;
}

const isReached = (project: string) => `
  (${project}.organization_id IN targets OR ${project}.id IN targets
    OR EXISTS (SELECT 1 FROM channels c WHERE c.project_id = ${project}.id AND c.id IN targets))`;

const projectsOf = query<ReachedProject>(`
  WITH targets AS (${TARGETS_OF_DEVELOPER})
  SELECT p.id, p.organization_id AS organizationId, p.name, p.description, p.platform,
    (SELECT group_concat(s.id) FROM projects s WHERE s.app_id = p.app_id AND s.id <> p.id AND ${isReached('s')})
      AS siblingIds
    FROM projects p
   WHERE p.organization_id = +:organizationId AND p.id < +:before AND ${isReached('p')}
   ORDER BY p.id DESC LIMIT +:limit`);

/**
 * Returns the projects of an organization that a developer has tester access to, newest first, with ids below `before`.
 */
export function projectsReached(
  ctx: Ctx,
  developerId: string,
  { organizationId, before, limit }: { organizationId: string; before: string; limit: number },
): ReachedProject[] {
  return projectsOf(ctx).all({ developerId, organizationId, before, limit });
}

export interface ReachedChannel extends ReachableChannel {
  name: string;
  description: string | null;
  mutedAt: number | null;
}

const channelsOf = query<ReachedChannel>(`
  WITH targets AS (${TARGETS_OF_DEVELOPER})
  SELECT c.id, c.project_id AS projectId, c.organization_id AS organizationId, c.name, c.description,
    (SELECT u.muted_at FROM channel_mutes u WHERE u.channel_id = c.id AND u.developer_id = +:developerId) AS mutedAt
    FROM channels c
   WHERE c.project_id = +:projectId AND c.organization_id = +:organizationId AND c.id < +:before
     AND ${notRemoved('c.project_id')}
     AND (c.id IN targets OR c.project_id IN targets OR c.organization_id IN targets)
   ORDER BY c.id DESC LIMIT +:limit`);

/** Returns the channels of a project that a developer has tester access to, newest first, with ids below `before`. */
export function channelsReached(
  ctx: Ctx,
  developerId: string,
  place: { organizationId: string; projectId: string; before: string; limit: number },
): ReachedChannel[] {
  return channelsOf(ctx).all({ developerId, ...place });
}
