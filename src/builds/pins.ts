// Pinned builds, which retention doesn't delete, and the list of builds that it will delete.

import type { ProjectContext } from '../core/context.ts';
import type { PageRequest } from '../core/paging.ts';
import { type Page, readPageInSteps } from '../core/paging.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { loadOrganization } from '../organizations/store.ts';
import { deletedFrom, isAnnounced, judge, planOf } from './retention-rules.ts';
import { countPinned, listAnnounced } from './retention-store.ts';
import type { Build, LeavingBuild } from './schema.ts';
import { recordBuild, toBuild } from './service.ts';
import * as store from './store.ts';

/** Pinned builds of a project at the same time. */
const MAX_PINNED = 100;

/**
 * Pins a build: retention doesn't delete it. Pinning it again changes nothing. Throws `quota_exceeded` if the project has too many
 * pinned builds.
 */
export function pinBuild(ctx: ProjectContext, id: string): Build {
  return ctx.transact((tx) => {
    const row = store.loadBuild(tx, ctx.project.id, id);
    if (row.pinnedAt !== null) {
      recordBuild(tx, 'build.redundant', row, { action: 'pin' });
      return toBuild(tx, row);
    }
    if (countPinned(tx, row.projectId, MAX_PINNED) >= MAX_PINNED) {
      const message = `A project can have at most ${MAX_PINNED} pinned builds. Unpin one first`;
      throw new AppError('quota_exceeded', message, { limit: MAX_PINNED });
    }
    // Unpinned later, it is announced again before it is deleted.
    const change = { pinnedAt: tx.now, retentionNoticeAt: null };
    store.updateBuild(tx, id, change);
    recordBuild(tx, 'build.pinned', row, {});
    return toBuild(tx, { ...row, ...change });
  });
}

/** Unpins a build. Unpinning it again changes nothing. */
export function unpinBuild(ctx: ProjectContext, id: string): Build {
  return ctx.transact((tx) => {
    const row = store.loadBuild(tx, ctx.project.id, id);
    if (row.pinnedAt === null) {
      recordBuild(tx, 'build.redundant', row, { action: 'unpin' });
      return toBuild(tx, row);
    }
    store.updateBuild(tx, id, { pinnedAt: null });
    recordBuild(tx, 'build.unpinned', row, {});
    return toBuild(tx, { ...row, pinnedAt: null });
  });
}

/**
 * Returns a page of the builds that retention deletes within a week unless something keeps them until then. Builds are only deleted
 * a week after they were announced, so these are the announced ones. A page can have fewer items than its limit.
 */
export async function listLeavingBuilds(ctx: ProjectContext, request: PageRequest): Promise<Page<LeavingBuild>> {
  const { id: organizationId } = ctx.organization;
  const plan = planOf(ctx, loadOrganization(ctx, organizationId).tier);
  const places = new Map();
  const page = await readPageInSteps(
    ctx,
    request,
    (before, limit) => listAnnounced(ctx, { organizationId, projectId: ctx.project.id, before, limit }),
    (aged) => {
      const fate = judge(ctx, aged, plan, places);
      const row = fate !== undefined && isAnnounced(aged, fate) ? store.findBuild(ctx, aged.id) : undefined;
      if (row === undefined || fate === undefined) return undefined;
      return { build: toBuild(ctx, row), deleted_from: timestamp(deletedFrom(aged, fate)), reason: fate.by };
    },
  );
  return { ...page, items: page.items.filter((item) => item !== undefined) };
}
