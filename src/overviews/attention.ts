// What needs attention in an organization: builds that nobody can install, expiring signatures, failing webhooks, devices that
// wait for a build, in all or on a channel, and requests for access.

import { displayBuildNumber } from '../builds/build-number.ts';
import { loadBuildFacts, loadBuildFactsForMany } from '../builds/compatibility-facts.ts';
import { walkDevicePages } from '../builds/device-counts.ts';
import { type BuildRow, listBuilds } from '../builds/store.ts';
import { listRequestedChannels } from '../channels/access-requests.ts';
import { listChannels } from '../channels/store.ts';
import { describeInstallability } from '../compatibility/installability.ts';
import { provenUninstallable } from '../compatibility/verdict.ts';
import type { OrganizationContext } from '../core/context.ts';
import { FIRST_PAGE } from '../core/paging.ts';
import { countWaiting, findWaitingAmong, listAwaitedChannels } from '../devices/waiting.ts';
import { listExpiring } from '../expiry/service.ts';
import { normalizeUdid } from '../inspection/facts.ts';
import { timestamp } from '../lib/clock.ts';
import { startSteps } from '../lib/steps.ts';
import { createProjectCheck } from '../organizations/members/project-check.ts';
import { type OrganizationPermissionName, organizationRoleAllows, permissions, scopesCover } from '../permissions.ts';
import { listReachable } from '../projects/service.ts';
import { findCurrent } from '../releases/store.ts';
import { listFailing } from '../webhooks/service.ts';
import { MAX_CHANNELS } from './activity.ts';
import { type Attention, type AttentionItem, MAX_ITEMS } from './attention-schema.ts';

const MAX_PROJECTS = 1000;
const MAX_EXPIRING = 1000;
const EXPIRES_SOON_DAYS = 30;
const EXPIRES_VERY_SOON_DAYS = 7;

type Expiring = Extract<AttentionItem, { kind: 'expiring' }>;

/** A build that is live on channels, or the newest one of its project. */
interface WatchedBuild {
  row: BuildRow;
  projectName: string;
  channelNames: string[];
}

/** Returns the items that the caller may see, worst first. */
export async function listAttention(ctx: OrganizationContext): Promise<Attention> {
  const builds = await collectBuilds(ctx);
  const items = [
    ...(await findUninstallable(ctx, builds)),
    ...(await findExpiring(ctx)),
    ...(mayAlso(ctx, 'webhook.manage') ? await findWebhooks(ctx) : []),
    ...(mayAlso(ctx, 'device.export') ? await findWaitingDevices(ctx, builds) : []),
    ...(await findAwaitedChannels(ctx)),
    ...findAccessRequests(ctx),
  ];
  const worstFirst = items.map((item) => ({ item, rank: rankOf(item) })).sort((one, other) => one.rank - other.rank);
  return { items: worstFirst.slice(0, MAX_ITEMS).map(({ item }) => item), total: items.length };
}

/** Whether the caller's role, and the scopes of their token, include a further permission. */
function mayAlso({ actor, organization }: OrganizationContext, permission: OrganizationPermissionName): boolean {
  if (organization.role === undefined || !organizationRoleAllows(organization.role, permission)) return false;
  return actor.kind !== 'personal_access_token' || scopesCover(actor.scopes, permissions[permission].scope);
}

/** First what stops testers now, then what stops them soon. */
function rankOf(item: AttentionItem): number {
  switch (item.kind) {
    case 'uninstallable':
      return item.channel_names.length > 0 ? 0 : 4;
    case 'expiring':
      return item.days_left < EXPIRES_VERY_SOON_DAYS ? 1 : 5;
    case 'webhook_failing':
      return 2;
    case 'devices_waiting':
    case 'channel_awaited':
    case 'access_requested':
      return 3;
    case 'webhook_disabled':
      return 6;
  }
}

/** Returns the channels on which devices wait for a build, for people who can release one, those that waited longest first. */
async function findAwaitedChannels(ctx: OrganizationContext): Promise<AttentionItem[]> {
  const mayRelease = createProjectCheck(ctx, 'release.manage');
  const step = startSteps();
  const awaited: Awaited<ReturnType<typeof listAwaitedChannels>> = [];
  for (const channel of await listAwaitedChannels(ctx, ctx.organization.id)) {
    await step();
    if (mayRelease(channel.projectId)) awaited.push(channel);
  }
  const items: AttentionItem[] = [];
  for (const [index, channel] of awaited.toSorted((one, other) => one.since - other.since).entries()) {
    await step();
    items.push({
      kind: 'channel_awaited',
      project_id: channel.projectId,
      project_name: channel.projectName,
      platform: channel.platform,
      channel_id: channel.channelId,
      channel_name: channel.channelName,
      // The response contains no item after the first ones.
      devices: index < MAX_ITEMS ? countWaiting(ctx, channel.channelId) : 0,
      since: timestamp(channel.since),
    });
  }
  return items;
}

/** Returns the channels with requests that the caller can answer. */
function findAccessRequests(ctx: OrganizationContext): AttentionItem[] {
  const mayAnswer = createProjectCheck(ctx, 'channel_tester.manage');
  return listRequestedChannels(ctx, ctx.organization.id)
    .filter(({ projectId }) => mayAnswer(projectId))
    .map((channel) => ({
      kind: 'access_requested' as const,
      project_id: channel.projectId,
      project_name: channel.projectName,
      platform: channel.platform,
      channel_id: channel.channelId,
      channel_name: channel.channelName,
      requests: channel.requests,
      since: timestamp(channel.since),
    }));
}

/** Returns the live builds and the newest build of each project, each once. */
async function collectBuilds(ctx: OrganizationContext): Promise<WatchedBuild[]> {
  const step = startSteps();
  const builds = new Map<string, WatchedBuild>();
  for (const { id: projectId, name: projectName } of listReachable(ctx, FIRST_PAGE, MAX_PROJECTS)) {
    await step();
    for (const channel of listChannels(ctx, projectId, FIRST_PAGE, MAX_CHANNELS).reverse()) {
      await step();
      const row = findCurrent(ctx, channel.id)?.build;
      if (row === undefined) continue;
      const known = builds.get(row.id);
      if (known === undefined) builds.set(row.id, { row, projectName, channelNames: [channel.name] });
      else known.channelNames.push(channel.name);
    }
    const [newest] = listBuilds(ctx, { projectId, status: 'active', before: FIRST_PAGE, limit: 1 });
    if (newest !== undefined && !builds.has(newest.id)) {
      builds.set(newest.id, { row: newest, projectName, channelNames: [] });
    }
  }
  return [...builds.values()];
}

async function findUninstallable(ctx: OrganizationContext, builds: readonly WatchedBuild[]): Promise<AttentionItem[]> {
  const now = ctx.clock.time();
  const step = startSteps();
  const items: AttentionItem[] = [];
  for (const { row, projectName, channelNames } of builds) {
    await step();
    const { status, reason, profile_expires_at } = describeInstallability(loadBuildFacts(ctx, row), now);
    // A build for simulators is uploaded on purpose, but a channel can't offer it.
    if (status !== 'uninstallable' || (reason === 'simulator' && channelNames.length === 0)) continue;
    items.push({
      kind: 'uninstallable',
      project_id: row.projectId,
      project_name: projectName,
      platform: row.platform,
      build_id: row.id,
      version_name: row.versionName,
      display_build_number: displayBuildNumber(row),
      channel_names: channelNames,
      reason,
      profile_expires_at,
    });
  }
  return items;
}

/** Returns each expiring signature of a project once, with all channels that it affects. */
async function findExpiring(ctx: OrganizationContext): Promise<AttentionItem[]> {
  const { items } = await listExpiring(ctx, { days: EXPIRES_SOON_DAYS, limit: MAX_EXPIRING });
  const signatures = new Map<string, Expiring>();
  for (const item of items) {
    // No device can install a build whose profile has expired, so it is listed as such.
    if (item.is_expired && item.kind === 'profile') continue;
    const key = [item.kind, item.name, item.expires_at, item.project_id].join('\n');
    const known = signatures.get(key);
    if (known !== undefined) {
      known.channel_names.push(item.channel_name);
      continue;
    }
    signatures.set(key, {
      kind: 'expiring',
      project_id: item.project_id,
      project_name: item.project_name,
      platform: item.platform,
      build_id: item.build_id,
      version_name: item.version_name,
      display_build_number: item.display_build_number,
      channel_names: [item.channel_name],
      signature: item.kind,
      name: item.name,
      expires_at: item.expires_at,
      is_expired: item.is_expired,
      days_left: item.days_left,
    });
  }
  return [...signatures.values()];
}

async function findWebhooks(ctx: OrganizationContext): Promise<AttentionItem[]> {
  return (await listFailing(ctx)).map(({ id, name, deliveries, lastFailure }) =>
    lastFailure === null
      ? { kind: 'webhook_disabled', webhook_id: id, name, deliveries }
      : {
          kind: 'webhook_failing',
          webhook_id: id,
          name,
          deliveries,
          last_failed_at: timestamp(lastFailure.createdAt),
          last_status_code: lastFailure.lastStatusCode,
          last_error: lastFailure.lastError,
        },
  );
}

/**
 * Returns one item for the devices that aren't in the profile of any live build; none without such profiles. Devices that wait on a
 * channel are listed there.
 */
async function findWaitingDevices(ctx: OrganizationContext, builds: readonly WatchedBuild[]): Promise<AttentionItem[]> {
  const now = ctx.clock.time();
  const step = startSteps();
  const live = builds.filter(({ row, channelNames }) => row.platform === 'ios' && channelNames.length > 0);
  if (live.length === 0) return [];
  const waiting = new Map<string, number>();
  for await (const page of walkDevicePages(ctx)) {
    const onChannels = findWaitingAmong(
      ctx,
      page.map(({ id }) => id),
    );
    for (const { id, udid, registeredAt } of page) {
      if (!onChannels.has(id)) waiting.set(normalizeUdid(udid), registeredAt);
    }
  }
  let hasProfile = false;
  for (const { row } of live) {
    // Each profile removes its devices, so that the work is the sum of both lists and not their product.
    if (waiting.size === 0) return [];
    await step();
    const facts = loadBuildFactsForMany(ctx, row);
    if (provenUninstallable(facts, now) !== null) continue;
    // Every device can install it.
    if (facts.archive?.profile?.kind === 'enterprise') return [];
    hasProfile = true;
    for (const udid of facts.udids) waiting.delete(udid);
  }
  if (!hasProfile || waiting.size === 0) return [];
  let since = now;
  for (const registeredAt of waiting.values()) since = Math.min(since, registeredAt);
  return [{ kind: 'devices_waiting', devices: waiting.size, since: timestamp(since) }];
}
