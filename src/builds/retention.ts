// Build retention: deletes builds older than their plan allows, a week after a notice. Builds that are live on a
// channel are kept unless the plan says otherwise.

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context, Sweep, Tx } from '../core/context.ts';
import { deleteQueuedObjects } from '../core/object-deletion.ts';
import { DAY, timestamp } from '../lib/clock.ts';
import { buildRetentionMail, type RetentionNotice } from '../mail/templates/builds.ts';
import { displayBuildNumber } from './build-number.ts';
import { removeBuild } from './removal.ts';
import * as store from './retention-store.ts';
import { findBuild } from './store.ts';

const NOTICE_MS = 7 * DAY;
const NOTICES_PER_MAIL = 1_000;
const DELETIONS_PER_BATCH = 20;
const MAX_DELETIONS = 5_000;
const PROJECTS_PER_MAIL = 20;
const VERSIONS_PER_PROJECT = 10;

type Organization = store.PlannedOrganization;

/** Announces the builds to be deleted in a week, then deletes builds that were announced a week ago and are due. */
export const buildRetentionSweep: Sweep = {
  name: 'build-retention',
  deletesByAge: true,
  schedule: '7 4 * * *',
  async run(ctx) {
    let removed = 0;
    for (const organization of store.listPlans(ctx)) {
      const plan = planOf(ctx, organization);
      if (plan === undefined) continue;
      ctx.transact((tx) => announce(tx, organization, plan), { bookkeeping: true });
      for (let count = DELETIONS_PER_BATCH; count === DELETIONS_PER_BATCH && removed < MAX_DELETIONS; ) {
        count = ctx.transact((tx) => deleteBatch(tx, organization, plan), { removes: true });
        removed += count;
        await yieldToOthers();
      }
    }
    // Rows are deleted first: if the storage fails, unused objects remain, but never a build without its package.
    if (removed > 0) await deleteQueuedObjects(ctx);
    return removed;
  },
};

interface Plan {
  days: number;
  keepsCurrent: 0 | 1;
  /** The age at which the notice of a build is due. */
  weekBeforeEndAge: number;
}

/** Returns undefined if builds are kept forever. */
function planOf({ config }: Context, { tier }: Organization): Plan | undefined {
  const { build_retention_days: days, keep_current_builds: isKept } = config.plans[tier];
  if (days === 0) return undefined;
  return { days, keepsCurrent: isKept ? 1 : 0, weekBeforeEndAge: days * DAY - NOTICE_MS };
}

/** Marks the builds that will be deleted within a week, and sends one email to each of their maintainers. */
function announce(tx: Tx, { id: organizationId, name }: Organization, plan: Plan): void {
  const uploadedBy = tx.now - plan.weekBeforeEndAge;
  if (plan.keepsCurrent === 1) store.withdrawNotices(tx, organizationId, uploadedBy);
  const builds = store.listUnannounced(tx, {
    ...plan,
    organizationId,
    uploadedBy,
    limit: NOTICES_PER_MAIL,
  });
  if (builds.length === 0) return;
  for (const { id } of builds) store.markAnnounced(tx, id);
  for (const [email, projectIds] of groupMaintainers(store.listMaintainers(tx, organizationId))) {
    const theirs = builds.filter((build) => projectIds.has(null) || projectIds.has(build.projectId));
    const [oldest] = theirs;
    if (oldest === undefined) continue;
    const notice: RetentionNotice = {
      organizationName: name,
      days: plan.days,
      deletedFrom: Math.max(oldest.uploadedAt + plan.days * DAY, tx.now + NOTICE_MS),
      total: theirs.length,
      projects: describeProjects(theirs),
    };
    tx.mail({ kind: 'build_retention', to: email, ...buildRetentionMail(tx.config.server.base_url, notice) });
  }
}

/** Groups by email address. The set contains the maintained projects; null stands for all. */
function groupMaintainers(rows: readonly store.Maintainer[]): Map<string, Set<string | null>> {
  const byAddress = new Map<string, Set<string | null>>();
  for (const { email, projectId } of rows) {
    const projects = byAddress.get(email) ?? new Set();
    byAddress.set(email, projects.add(projectId));
  }
  return byAddress;
}

function describeProjects(builds: readonly store.AgedBuild[]): RetentionNotice['projects'] {
  const groups = [...Map.groupBy(builds, (build) => build.projectId).values()];
  return groups.slice(0, PROJECTS_PER_MAIL).map((group) => ({
    name: group[0]?.projectName ?? '',
    versions: group
      .slice(0, VERSIONS_PER_PROJECT)
      .map((build) => `${build.versionName} (${displayBuildNumber(build)})`),
    more: Math.max(0, group.length - VERSIONS_PER_PROJECT),
  }));
}

function deleteBatch(tx: Tx, { id: organizationId }: Organization, plan: Plan): number {
  const ids = store.listExpiredBuilds(tx, {
    ...plan,
    organizationId,
    uploadedBy: tx.now - plan.days * DAY,
    announcedBy: tx.now - NOTICE_MS,
    limit: DELETIONS_PER_BATCH,
  });
  for (const id of ids) {
    const row = findBuild(tx, id);
    if (row === undefined) continue;
    const details = { uploaded_at: timestamp(row.uploadedAt), retention_days: plan.days };
    removeBuild(tx, row, 'build.retention_expired', details);
  }
  return ids.length;
}
