// Which devices of the organization can run a build.

import { toInstallVerdict } from '../compatibility/schema.ts';
import { judgeInstall } from '../compatibility/verdict.ts';
import type { ProjectContext } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { factsOfDevice } from '../devices/compatibility-facts.ts';
import { showDevice } from '../devices/service.ts';
import { type DeviceRow, listDevicesOfOrganization, loadDevice } from '../devices/store.ts';
import { loadBuildFactsForMany } from './compatibility-facts.ts';
import type { BuildDevice } from './device-schema.ts';
import { loadBuild } from './store.ts';

/**
 * One page of the organization's devices, newest first, each with whether it can install the build; with `deviceId` that
 * device alone. not_found when the build or the device is absent or elsewhere.
 */
export function listBuildDevices(
  ctx: ProjectContext,
  id: string,
  request: PageRequest,
  deviceId: string | undefined,
): Page<BuildDevice> {
  const build = loadBuildFactsForMany(ctx, loadBuild(ctx, ctx.project.id, id));
  const now = ctx.clock.now().getTime();
  const judge = (row: DeviceRow): BuildDevice => ({
    device: showDevice(ctx, row),
    install: toInstallVerdict(judgeInstall(build, factsOfDevice(row), now)),
  });
  if (deviceId !== undefined) {
    return { items: [judge(loadDevice(ctx, ctx.organization.id, deviceId))], next_cursor: null };
  }
  return readPage(
    ctx,
    request,
    (before, limit) => listDevicesOfOrganization(ctx, ctx.organization.id, before, limit),
    judge,
  );
}
