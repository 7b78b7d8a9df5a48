// The cleanup job of build retention: announces the builds that neither the plan nor the rules of their channels keep, and deletes
// them a week later (retention-rules.ts).

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context, LocalizedMail, Sweep, Tx } from '../core/context.ts';
import { languageOfAccount } from '../core/mail-language.ts';
import { deleteQueuedObjects } from '../core/object-deletion.ts';
import { transactInSteps } from '../core/transact-steps.ts';
import { DAY, timestamp } from '../lib/clock.ts';
import { createPace } from '../lib/pace.ts';
import { createStepRows } from '../lib/step-rows.ts';
import { startSteps } from '../lib/steps.ts';
import { type MailToPerson, mailMany } from '../mail/batches.ts';
import { buildRetentionMail } from '../mail/templates/builds.ts';
import { findOrganization } from '../organizations/store.ts';
import { displayBuildNumber } from './build-number.ts';
import { removeBuild } from './removal.ts';
import { type Fate, isAnnounced, isDue, judge, NOTICE_MS, type Plan, planOf } from './retention-rules.ts';
import * as store from './retention-store.ts';
import { findBuild } from './store.ts';

/** Builds that are marked in one transaction. In a large database, each is on a page of its own. */
const MARKED = { min: 50, max: 200 };
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
    const step = startSteps();
    let removed = 0;
    for (const organization of store.listPlans(ctx)) {
      await step();
      const plan = planOf(ctx, organization.tier);
      await withdrawNotices(ctx, organization, plan);
      await announce(ctx, organization, plan);
      removed += await deleteExpired(ctx, organization, plan, MAX_DELETIONS - removed);
    }
    // Rows are deleted first: if the storage fails, unused objects remain, but never a build without its package.
    if (removed > 0) await deleteQueuedObjects(ctx);
    return removed;
  },
};

/** Withdraws the notices of builds that are kept now. */
async function withdrawNotices(ctx: Context, { id }: Organization, plan: Plan | undefined): Promise<void> {
  const step = startSteps();
  for (const page of store.walkAnnounced(ctx, id)) {
    const withdrawn: store.AgedBuild[] = [];
    const places = new Map();
    for (const build of page) {
      const fate = judge(ctx, build, plan, places);
      if (fate === undefined || !isAnnounced(build, fate)) withdrawn.push(build);
      await step();
    }
    const withdraw = (tx: Tx) => {
      for (const { position } of withdrawn) store.withdrawNotice(tx, position);
    };
    if (withdrawn.length > 0) ctx.transact(withdraw, { bookkeeping: true });
  }
}

/**
 * Sends one email to each maintainer of builds that will be deleted within a week, and marks these builds, all that are due. The
 * emails are written or queued with the first mark: after a crash between the marks, builds are announced twice, but never deleted without.
 */
async function announce(ctx: Context, organization: Organization, plan: Plan | undefined): Promise<void> {
  const due = new Set<number>();
  const groups = new Map<string, Group>();
  const step = startSteps();
  for (const { builds, places } of walkCandidates(ctx, organization.id, plan)) {
    for (const build of builds) {
      if (due.has(build.position)) continue;
      const fate = judge(ctx, build, plan, places);
      if (fate !== undefined && isDue(fate, ctx.clock.time()) && !isAnnounced(build, fate)) {
        due.add(build.position);
        addToGroup(groups, build, fate);
      }
      await step();
    }
  }
  if (due.size === 0) return;
  const mails = await composeMails(ctx, organization, plan, groups);
  const pace = createPace(SHARE);
  const [first] = due;
  const announceBatch = (tx: Tx, batch: readonly number[]) => {
    if (batch[0] === first) mailMany(tx, 'build_retention', mails);
    for (const position of batch) store.markAnnounced(tx, position);
  };
  await transactInSteps(ctx, [...due], createStepRows(MARKED), announceBatch, () => pace.rest());
}

/** Yields the builds that may be due: those that are old enough for the plan, and those that a rule of a channel no longer keeps there. */
function* walkCandidates(
  ctx: Context,
  organizationId: string,
  plan: Plan | undefined,
): Generator<{ builds: readonly store.AgedBuild[]; places: Map<string, string | undefined> }> {
  const noticeBy = ctx.clock.time() + NOTICE_MS;
  if (plan !== undefined) {
    for (const builds of store.walkAged(ctx, organizationId, noticeBy - plan.days * DAY)) {
      yield { builds, places: new Map() };
    }
  }
  for (const rule of store.listRuledChannels(ctx, organizationId)) {
    const kept = rule.keepLast === null ? undefined : store.findReleaseAt(ctx, rule.id, rule.keepLast);
    // The rule keeps everything.
    if (rule.keepLast !== null && kept === undefined) continue;
    for (const page of store.walkReleased(ctx, rule.id)) {
      const builds = page.filter(
        ({ releaseId, releasedAt }) =>
          (kept === undefined || releaseId < kept) && releasedAt + (rule.keepDays ?? 0) * DAY <= noticeBy,
      );
      yield { builds, places: new Map() };
      // Releases are in the order of their ids and times: the rest is kept too.
      if (builds.length < page.length) break;
    }
  }
}

/** The announced builds of a project. */
interface Group {
  name: string;
  /** Of the oldest ones. */
  versions: string[];
  total: number;
  /** When the first one ends. */
  endsAt: number;
  /** Whether the plan's days end any of them. */
  isByPlan: boolean;
}

function addToGroup(groups: Map<string, Group>, build: store.AgedBuild, { endsAt, by }: Fate): void {
  const { projectId, projectName: name } = build;
  const group = groups.get(projectId) ?? { name, versions: [], total: 0, endsAt, isByPlan: false };
  groups.set(projectId, group);
  group.total += 1;
  group.endsAt = Math.min(group.endsAt, endsAt);
  group.isByPlan ||= by === 'plan';
  if (group.versions.length >= VERSIONS_PER_PROJECT) return;
  group.versions.push(`${build.versionName} (${displayBuildNumber(build)})`);
}

/**
 * Composes the emails to the maintainers of builds in `groups`, in steps, because each takes about a millisecond: the transaction that
 * sends them shouldn't hold the lock for that. Those who maintain the same projects get the same email, in their language.
 */
async function composeMails(
  ctx: Context,
  { id, name }: Organization,
  plan: Plan | undefined,
  groups: ReadonlyMap<string, Group>,
): Promise<MailToPerson[]> {
  const step = startSteps();
  const contents = new Map<string, LocalizedMail>();
  const mails: MailToPerson[] = [];
  for (const [developerId, projectIds] of groupMaintainers(store.listMaintainers(ctx, id))) {
    await step();
    const theirs = [...groups].filter(([projectId]) => projectIds.has(null) || projectIds.has(projectId));
    if (theirs.length === 0) continue;
    const key = theirs.map(([projectId]) => projectId).join(' ');
    const content = contents.get(key) ?? composeNotice(ctx, name, plan, theirs);
    contents.set(key, content);
    mails.push({ developerId, content: content(languageOfAccount(ctx, developerId)) });
  }
  return mails;
}

function composeNotice(
  ctx: Context,
  organizationName: string,
  plan: Plan | undefined,
  theirs: readonly (readonly [projectId: string, group: Group])[],
): LocalizedMail {
  const endsAt = Math.min(...theirs.map(([, group]) => group.endsAt));
  return buildRetentionMail(ctx.config.server.base_url, {
    organizationName,
    days: theirs.some(([, { isByPlan }]) => isByPlan) ? (plan?.days ?? null) : null,
    deletedFrom: Math.max(endsAt, ctx.clock.time() + NOTICE_MS),
    total: theirs.reduce((sum, [, { total }]) => sum + total, 0),
    projects: theirs.slice(0, PROJECTS_PER_MAIL).map(([projectId, group]) => ({
      projectId,
      name: group.name,
      versions: group.versions,
      more: group.total - group.versions.length,
    })),
    moreProjects: Math.max(0, theirs.length - PROJECTS_PER_MAIL),
  });
}

/** Groups by developer. The set contains the maintained projects; null stands for all. */
function groupMaintainers(rows: readonly store.Maintainer[]): Map<string, Set<string | null>> {
  const byDeveloper = new Map<string, Set<string | null>>();
  for (const { developerId, projectId } of rows) {
    const projects = byDeveloper.get(developerId) ?? new Set();
    byDeveloper.set(developerId, projects.add(projectId));
  }
  return byDeveloper;
}

/** Deletes up to `max` builds that were announced a week ago and are due. */
async function deleteExpired(ctx: Context, { id }: Organization, plan: Plan | undefined, max: number): Promise<number> {
  const step = startSteps();
  const pace = createPace(SHARE);
  let removed = 0;
  for (const page of store.walkAnnounced(ctx, id)) {
    if (removed >= max) break;
    const expired: string[] = [];
    const places = new Map();
    for (const build of page) {
      if (isExpired(build, judge(ctx, build, plan, places), ctx.clock.time())) expired.push(build.id);
      await step();
    }
    for (let from = 0; from < expired.length && removed < max; from += DELETIONS_PER_BATCH) {
      const ids = expired.slice(from, from + Math.min(DELETIONS_PER_BATCH, max - removed));
      removed += ctx.transact((tx) => deleteBatch(tx, ids, id), { removes: true });
      await yieldToOthers();
      await pace.rest();
    }
  }
  return removed;
}

const isExpired = (build: store.AgedBuild, fate: Fate | undefined, now: number): fate is Fate =>
  fate !== undefined &&
  isAnnounced(build, fate) &&
  (build.noticeAt ?? now) <= now - NOTICE_MS &&
  // Equal times count as due, as for the announcement.
  fate.endsAt <= now;

/** Deletes those that still have to be: a build may have become live or pinned since it was read, and the plan may have changed. */
function deleteBatch(tx: Tx, ids: readonly string[], organizationId: string): number {
  const organization = findOrganization(tx, organizationId);
  if (organization === undefined) return 0;
  const plan = planOf(tx, organization.tier);
  let removed = 0;
  for (const id of ids) {
    const aged = store.findAged(tx, id);
    const row = findBuild(tx, id);
    if (aged === undefined || row === undefined) continue;
    const fate = judge(tx, aged, plan, new Map());
    if (!isExpired(aged, fate, tx.now)) continue;
    const reason = fate.by === 'plan' && plan !== undefined ? { retention_days: plan.days } : { rule: 'channels' };
    removeBuild(tx, row, 'build.retention_expired', { uploaded_at: timestamp(row.uploadedAt), ...reason });
    removed += 1;
  }
  return removed;
}
