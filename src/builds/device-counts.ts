// Counts the registered devices that can install each build, for pages that show several builds.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { judgeInstall, type PhoneFacts, provenUninstallable } from '../compatibility/verdict.ts';
import type { OrganizationContext, ProjectContext } from '../core/context.ts';
import { FIRST_PAGE } from '../core/paging.ts';
import { factsOfDevice } from '../devices/compatibility-facts.ts';
import { type DeviceRow, listDevicesOfOrganization } from '../devices/store.ts';
import { normalizeUdid } from '../inspection/facts.ts';
import { type BuildFactsForMany, loadBuildFactsForMany } from './compatibility-facts.ts';
import type { BuildDeviceCount } from './device-schema.ts';
import { type BuildRow, findBuild } from './store.ts';

/** Most builds in one request. */
export const MAX_COUNTED = 100;

const DEVICES_PER_STEP = 200;

/**
 * Counts the organization's devices and, for each iOS build of the project, the devices that can install it. Other
 * builds are left out. Works in steps, so that other requests can run in between.
 */
export async function countBuildDevices(
  ctx: ProjectContext,
  buildIds: readonly string[],
): Promise<{ items: BuildDeviceCount[] }> {
  const rows = [...new Set(buildIds)].flatMap((id) => findBuild(ctx, id) ?? []);
  return {
    items: await countDevicesOf(
      ctx,
      rows.filter(({ projectId }) => projectId === ctx.project.id),
    ),
  };
}

/** Counts the same for builds of any project of the organization. */
export async function countDevicesOf(ctx: OrganizationContext, rows: readonly BuildRow[]): Promise<BuildDeviceCount[]> {
  const wanted = rows.filter(({ platform }) => platform === 'ios');
  if (wanted.length === 0) return [];
  const devices = await loadDevices(ctx);
  const now = ctx.clock.time();
  const items: BuildDeviceCount[] = [];
  for (const row of wanted) {
    const able = countAble(loadBuildFactsForMany(ctx, row), devices, now);
    items.push({ build_id: row.id, devices_total: devices.kindOf.size, devices_able: able });
    await yieldToOthers();
  }
  return items;
}

interface Devices {
  /** The facts about each device without its identifier. Devices with equal facts share one object. */
  readonly kindOf: ReadonlyMap<string, PhoneFacts>;
  /** Number of devices of each kind. */
  readonly kinds: ReadonlyMap<PhoneFacts, number>;
}

async function loadDevices(ctx: OrganizationContext): Promise<Devices> {
  const kindOf = new Map<string, PhoneFacts>();
  const kinds = new Map<PhoneFacts, number>();
  const known = new Map<string, PhoneFacts>();
  for await (const page of walkDevicePages(ctx)) {
    for (const row of page) {
      const facts = factsOfDevice(row);
      const key = `${facts.family} ${facts.osVersion}`;
      const kind = known.get(key) ?? { ...facts, udid: null };
      known.set(key, kind);
      kindOf.set(normalizeUdid(row.udid), kind);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  return { kindOf, kinds };
}

/** Iterates over the organization's devices, newest first, in pages between which other requests run. */
export async function* walkDevicePages(ctx: OrganizationContext): AsyncGenerator<readonly DeviceRow[]> {
  let before = FIRST_PAGE;
  for (;;) {
    const rows = listDevicesOfOrganization(ctx, ctx.organization.id, before, DEVICES_PER_STEP);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < DEVICES_PER_STEP) return;
    before = last.id;
    await yieldToOthers();
  }
}

/**
 * Devices of one kind differ only in whether the profile contains them, so each kind is checked once. Looks at the
 * devices of the profile, not at all devices.
 */
function countAble(build: BuildFactsForMany, { kindOf, kinds }: Devices, now: number): number {
  if (provenUninstallable(build, now) !== null) return 0;
  let wanted = kinds;
  if (build.archive?.profile?.kind !== 'enterprise') {
    const named = new Map<PhoneFacts, number>();
    for (const udid of build.udids) {
      const kind = kindOf.get(udid);
      if (kind !== undefined) named.set(kind, (named.get(kind) ?? 0) + 1);
    }
    wanted = named;
  }
  let able = 0;
  for (const [kind, devices] of wanted) {
    // Without an identifier, "unknown" means that only the device list is left to decide.
    if (judgeInstall(build, kind, now).verdict !== 'no') able += devices;
  }
  return able;
}
