// The devices of the organization with their compatibility with a build.

import { toInstallVerdict } from '../compatibility/schema.ts';
import { judgeInstall } from '../compatibility/verdict.ts';
import type { ProjectContext } from '../core/context.ts';
import { type Page, type PageRequest, readPageTogether } from '../core/paging.ts';
import { factsOfDevice } from '../devices/compatibility-facts.ts';
import { showDevices } from '../devices/service.ts';
import { type DeviceRow, listDevicesOfOrganization, loadDevice } from '../devices/store.ts';
import { loadBuildFactsForMany } from './compatibility-facts.ts';
import type { BuildDevice } from './device-schema.ts';
import { loadBuild } from './store.ts';

/**
 * Returns a page of the organization's devices, newest first, each with its verdict for the build. With `deviceId`,
 * returns only that device. Throws `not_found` if the build or the device doesn't exist there.
 */
export function listBuildDevices(
  ctx: ProjectContext,
  id: string,
  request: PageRequest,
  deviceId: string | undefined,
): Page<BuildDevice> {
  const build = loadBuildFactsForMany(ctx, loadBuild(ctx, ctx.project.id, id));
  const now = ctx.clock.time();
  const judge = (rows: readonly DeviceRow[]): BuildDevice[] => {
    const shown = showDevices(ctx, rows);
    return rows.flatMap((row, index) => {
      const device = shown[index];
      const install = toInstallVerdict(judgeInstall(build, factsOfDevice(row), now));
      return device === undefined ? [] : [{ device, install }];
    });
  };
  if (deviceId !== undefined) {
    return { items: judge([loadDevice(ctx, ctx.organization.id, deviceId)]), next_cursor: null };
  }
  return readPageTogether(
    ctx,
    request,
    (before, limit) => listDevicesOfOrganization(ctx, ctx.organization.id, before, limit),
    judge,
  );
}
