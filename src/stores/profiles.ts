// The provisioning profiles of a team, matched to builds. Nothing at Apple is changed.
import { displayBuildNumber } from '../builds/build-number.ts';
import { listProvisioned } from '../builds/fact-store.ts';
import type { OrganizationContext } from '../core/context.ts';
import { FIRST_PAGE } from '../core/paging.ts';
import { normalizeUdid } from '../inspection/facts.ts';
import { isRecent, timestamp, timestampOrNull } from '../lib/clock.ts';
import { startSteps } from '../lib/steps.ts';
import { listAppleProfiles } from './apple.ts';
import { refusalOf } from './failures.ts';
import { type CurrentBuild, listCurrentBuilds } from './rebuild-store.ts';
import type { Profiles } from './schema.ts';
import { appleKeyOf, loadAppleConnection, withConnection } from './service.ts';
import { type AppleProfile, MAX_AGE_MS, storeStateOf } from './state.ts';

const CHANNELS_PER_STEP = 50;
const MAX_BUILDS = 20;

/**
 * Returns the team's profiles, at most ten minutes old, with the current builds of channels that have them. Throws
 * `operation_not_allowed` for a connection to Google Play, `invalid_input` or `operation_not_allowed` if Apple rejects the key,
 * and `store_connection_unavailable` if Apple can't be asked.
 */
export async function readProfiles(ctx: OrganizationContext, id: string): Promise<Profiles> {
  const { checkedAt, profiles } = await withConnection(ctx, id, () => loadProfiles(ctx, id));
  const builds = new Map<AppleProfile, Profiles['profiles'][number]['builds']>();
  await walkCurrentBuilds(ctx, (build) => {
    const profile = findProfile(profiles, build);
    if (profile === undefined) return;
    const known = builds.get(profile) ?? [];
    builds.set(profile, known);
    if (known.length >= MAX_BUILDS || known.some((one) => one.build_id === build.buildId)) return;
    known.push(compare(ctx, profile, build));
  });
  return {
    checked_at: timestamp(checkedAt),
    profiles: profiles.map((profile) => ({
      profile_id: profile.id,
      uuid: profile.uuid,
      name: profile.name,
      type: profile.type,
      state: profile.isActive ? 'active' : 'invalid',
      created_at: timestampOrNull(profile.createdAt),
      expires_at: timestampOrNull(profile.expiresAt),
      device_count: profile.udids.length,
      builds: builds.get(profile) ?? [],
    })),
  };
}

async function loadProfiles(ctx: OrganizationContext, id: string) {
  const connection = loadAppleConnection(ctx, ctx.organization.id, id);
  const { profiles: recent } = storeStateOf(ctx);
  const now = ctx.clock.time();
  const known = recent.get(id);
  if (known !== undefined && isRecent(known.checkedAt, now, MAX_AGE_MS)) return known;
  const profiles = await listAppleProfiles(ctx, appleKeyOf(ctx, connection));
  if ('code' in profiles) throw refusalOf(profiles);
  const read = { checkedAt: now, profiles };
  recent.set(id, read);
  return read;
}

async function walkCurrentBuilds(ctx: OrganizationContext, take: (build: CurrentBuild) => void): Promise<void> {
  const organizationId = ctx.organization.id;
  const step = startSteps();
  for (let before = FIRST_PAGE; ; ) {
    const rows = listCurrentBuilds(ctx, { organizationId }, before, CHANNELS_PER_STEP);
    for (const row of rows) {
      await step();
      take(row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHANNELS_PER_STEP) return;
    before = last.channelId;
  }
}

/** The profile with the same UUID, or the newest of the same name: Apple gives a changed profile a new UUID. */
function findProfile(profiles: readonly AppleProfile[], { profile: own }: CurrentBuild): AppleProfile | undefined {
  if (own === null) return undefined;
  const hasUuid = (profile: AppleProfile) => profile.uuid.toLowerCase() === own.uuid?.toLowerCase();
  return profiles.find(hasUuid) ?? profiles.find(({ name, isActive }) => isActive && name === own.name);
}

function compare(ctx: OrganizationContext, profile: AppleProfile, build: CurrentBuild) {
  const included = listProvisioned(ctx, build.buildId);
  const added = profile.udids.filter((udid) => !included.has(normalizeUdid(udid))).length;
  return {
    build_id: build.buildId,
    project_id: build.projectId,
    project_name: build.projectName,
    version_name: build.versionName,
    build_number: build.buildNumber,
    display_build_number: displayBuildNumber({ ...build, platform: 'ios' }),
    is_same: profile.uuid.toLowerCase() === build.profile?.uuid?.toLowerCase(),
    added_devices: added,
  };
}
