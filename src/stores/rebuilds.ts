// Which builds should be created again, because Apple has devices that their provisioning profile lacks.

import { displayBuildNumber } from '../builds/build-number.ts';
import { listProvisioned } from '../builds/fact-store.ts';
import type { OrganizationContext } from '../core/context.ts';
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../core/paging.ts';
import { normalizeUdid } from '../inspection/facts.ts';
import { notFound } from '../lib/errors.ts';
import { startSteps } from '../lib/steps.ts';
import { createProjectCheck } from '../organizations/members/project-check.ts';
import { loadProject } from '../projects/store.ts';
import * as store from './rebuild-store.ts';
import type { Rebuild } from './schema.ts';

const MAX_LISTED = 20;
const CHANNELS_PER_STEP = 50;

/**
 * Returns a page of the current builds of channels, newest channel first, whose profile lacks devices that are registered with
 * Apple, in the projects that the caller can access. Throws `not_found` for any other project.
 */
export async function listRebuilds(
  ctx: OrganizationContext,
  { project_id: projectId, ...request }: PageRequest & { project_id?: string | undefined },
): Promise<Page<Rebuild>> {
  const organizationId = ctx.organization.id;
  const isVisible = createProjectCheck(ctx, 'build.read');
  if (projectId !== undefined) {
    if (loadProject(ctx, projectId).organizationId !== organizationId || !isVisible(projectId)) throw notFound();
  }
  const { page_size_default, page_size_maximum } = ctx.config.limits;
  const limit = Math.min(request.limit ?? page_size_default, page_size_maximum);
  const devices = store.listRegisteredDevices(ctx, organizationId);
  const items: Rebuild[] = [];
  const step = startSteps();
  for (let before = decodeCursor(request.cursor); devices.length > 0; ) {
    const rows = store.listCurrentBuilds(ctx, { organizationId, projectId }, before, CHANNELS_PER_STEP);
    for (const row of rows) {
      await step();
      const rebuild = isVisible(row.projectId) ? describe(ctx, row, devices) : undefined;
      if (rebuild !== undefined) items.push(rebuild);
      if (items.length === limit) return { items, next_cursor: encodeCursor(row.channelId) };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHANNELS_PER_STEP) break;
    before = last.channelId;
  }
  return { items, next_cursor: null };
}

function describe(
  ctx: OrganizationContext,
  row: store.CurrentBuild,
  devices: readonly store.RegisteredDevice[],
): Rebuild | undefined {
  const { profile } = row;
  if (profile?.kind !== 'ad-hoc' && profile?.kind !== 'development') return undefined;
  const included = listProvisioned(ctx, row.buildId);
  const missing = devices.filter(({ udid }) => !included.has(normalizeUdid(udid)));
  if (missing.length === 0) return undefined;
  return {
    build_id: row.buildId,
    project_id: row.projectId,
    project_name: row.projectName,
    version_name: row.versionName,
    build_number: row.buildNumber,
    display_build_number: displayBuildNumber({ ...row, platform: 'ios' }),
    channel_id: row.channelId,
    channel_name: row.channelName,
    profile_name: profile.name,
    profile_uuid: profile.uuid,
    missing_devices: missing.length,
    devices: missing.slice(0, MAX_LISTED).map(({ id, name }) => ({ device_id: id, name })),
  };
}
