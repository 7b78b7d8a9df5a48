// Which devices of the organization can run a build.
import { showDevice } from '../devices/service.ts';
import { listDevicesOfOrganization } from '../devices/store.ts';
import { loadBuildFactsForMany } from '../install/build-facts.ts';
import { factsOfDevice } from '../install/device-facts.ts';
import { judgeInstall } from '../install/verdict.ts';
import { toInstallVerdict } from '../install/verdict-schema.ts';
import type { ProjectContext } from '../platform/context.ts';
import { type Page, type PageRequest, readPage } from '../platform/paging.ts';
import type { BuildDevice } from './device-schema.ts';
import { loadBuild } from './store.ts';

/** One page of the organization's devices, newest first, each with whether it can install the build. */
export function listBuildDevices(ctx: ProjectContext, id: string, request: PageRequest): Page<BuildDevice> {
  const build = loadBuildFactsForMany(ctx, loadBuild(ctx, ctx.project.id, id));
  const now = ctx.clock.now().getTime();
  return readPage(
    ctx,
    request,
    (before, limit) => listDevicesOfOrganization(ctx, ctx.organization.id, before, limit),
    (row) => ({
      device: showDevice(ctx, row),
      install: toInstallVerdict(judgeInstall(build, factsOfDevice(row), now)),
    }),
  );
}
