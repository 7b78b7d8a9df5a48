// Build retention: deletes builds older than their plan allows, a week after a notice. Builds that are live on a
// channel are kept unless the plan says otherwise.

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context, Sweep, Tx } from '../core/context.ts';
import { deleteQueuedObjects } from '../core/object-deletion.ts';
import { DAY, timestamp } from '../lib/clock.ts';
import { createPace } from '../lib/pace.ts';
import { startSteps } from '../lib/steps.ts';
import { buildRetentionMail, type RetentionNotice } from '../mail/templates/builds.ts';
import { displayBuildNumber } from './build-number.ts';
import { removeBuild } from './removal.ts';
import * as store from './retention-store.ts';
import { findBuild } from './store.ts';

const NOTICE_MS = 7 * DAY;
const NOTICES_PER_BATCH = 200;
const DELETIONS_PER_BATCH = 10;
const MAX_DELETIONS = 5_000;
/** Run by a command, it has the database's lock at most half of the time, so that the server gets it. */
const SHARE = 0.5;
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
      await announce(ctx, organization, plan);
      removed += await deleteExpired(ctx, organization, plan, MAX_DELETIONS - removed);
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

/** Whether a build stays because it is live on a channel. */
const isKept = ({ isCurrent }: store.AgedBuild, plan: Plan): boolean => plan.keepsCurrent === 1 && isCurrent === 1;

/** Whether the build was announced. A notice is valid from a week before the date it announced, which a change of the plan moves. */
const isAnnounced = ({ noticeAt, uploadedAt }: store.AgedBuild, plan: Plan): boolean =>
  noticeAt !== null && noticeAt >= uploadedAt + plan.weekBeforeEndAge;

/**
 * Sends one email to each maintainer of builds that will be deleted within a week, and marks these builds, all that are due. The
 * emails are sent with the first mark: after a crash between the marks, builds are announced twice, but never deleted without.
 */
async function announce(ctx: Context, organization: Organization, plan: Plan): Promise<void> {
  const uploadedBy = ctx.clock.now().getTime() - plan.weekBeforeEndAge;
  const step = startSteps();
  const due: number[] = [];
  const groups = new Map<string, Group>();
  for (const page of store.walkAged(ctx, organization.id, uploadedBy)) {
    const withdrawn = page.filter((build) => isKept(build, plan) && build.noticeAt !== null);
    const withdraw = (tx: Tx) => {
      for (const { position } of withdrawn) store.withdrawNotice(tx, position);
    };
    if (withdrawn.length > 0) ctx.transact(withdraw, { bookkeeping: true });
    for (const build of page) {
      if (isKept(build, plan) || isAnnounced(build, plan)) continue;
      due.push(build.position);
      addToGroup(groups, build);
    }
    await step();
  }
  const pace = createPace(SHARE);
  for (let from = 0; from < due.length; from += NOTICES_PER_BATCH) {
    const announceBatch = (tx: Tx) => {
      if (from === 0) mailMaintainers(tx, organization, plan, groups);
      for (const position of due.slice(from, from + NOTICES_PER_BATCH)) store.markAnnounced(tx, position);
    };
    ctx.transact(announceBatch, { bookkeeping: true });
    await yieldToOthers();
    await pace.rest();
  }
}

/** The announced builds of a project. */
interface Group {
  name: string;
  /** Of the oldest ones. */
  versions: string[];
  total: number;
  oldestAt: number;
}

/** Builds are added oldest first. */
function addToGroup(groups: Map<string, Group>, build: store.AgedBuild): void {
  const { projectId, projectName: name, uploadedAt: oldestAt } = build;
  const group = groups.get(projectId) ?? { name, versions: [], total: 0, oldestAt };
  groups.set(projectId, group);
  group.total += 1;
  if (group.versions.length >= VERSIONS_PER_PROJECT) return;
  group.versions.push(`${build.versionName} (${displayBuildNumber(build)})`);
}

function mailMaintainers(tx: Tx, { id, name }: Organization, plan: Plan, groups: ReadonlyMap<string, Group>): void {
  for (const [email, projectIds] of groupMaintainers(store.listMaintainers(tx, id))) {
    const theirs = [...groups].filter(([projectId]) => projectIds.has(null) || projectIds.has(projectId));
    const [oldest] = theirs;
    if (oldest === undefined) continue;
    const notice: RetentionNotice = {
      organizationName: name,
      days: plan.days,
      deletedFrom: Math.max(oldest[1].oldestAt + plan.days * DAY, tx.now + NOTICE_MS),
      total: theirs.reduce((sum, [, { total }]) => sum + total, 0),
      projects: theirs.slice(0, PROJECTS_PER_MAIL).map(([, group]) => ({
        name: group.name,
        versions: group.versions,
        more: group.total - group.versions.length,
      })),
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

/** Deletes up to `max` builds that were announced a week ago and are due. */
async function deleteExpired(ctx: Context, { id }: Organization, plan: Plan, max: number): Promise<number> {
  const uploadedBy = ctx.clock.now().getTime() - plan.days * DAY;
  const step = startSteps();
  const pace = createPace(SHARE);
  let removed = 0;
  for (const page of store.walkAged(ctx, id, uploadedBy)) {
    const expired = page.filter((build) => isExpired(build, plan, ctx.clock.now().getTime())).map((build) => build.id);
    for (let from = 0; from < expired.length && removed < max; from += DELETIONS_PER_BATCH) {
      const ids = expired.slice(from, from + Math.min(DELETIONS_PER_BATCH, max - removed));
      removed += ctx.transact((tx) => deleteBatch(tx, ids, plan), { removes: true });
      await yieldToOthers();
      await pace.rest();
    }
    if (removed >= max) break;
    await step();
  }
  return removed;
}

const isExpired = (build: store.AgedBuild, plan: Plan, now: number): boolean =>
  isAnnounced(build, plan) && (build.noticeAt ?? now) <= now - NOTICE_MS && !isKept(build, plan);

/** Deletes those that still have to be: a build may have become live since it was read. */
function deleteBatch(tx: Tx, ids: readonly string[], plan: Plan): number {
  let removed = 0;
  for (const id of ids) {
    const aged = store.findAged(tx, id);
    const row = findBuild(tx, id);
    if (aged === undefined || row === undefined || !isExpired(aged, plan, tx.now)) continue;
    const details = { uploaded_at: timestamp(row.uploadedAt), retention_days: plan.days };
    removeBuild(tx, row, 'build.retention_expired', details);
    removed += 1;
  }
  return removed;
}
