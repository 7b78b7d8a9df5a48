// Audit retention: deletes events older than their plan allows, a week after announcing it. The chains can still be
// verified.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { sealCheckpoint } from '../core/audit-chain.ts';
import type { Context, Sweep, Tx } from '../core/context.ts';
import { sweepRuns } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { firstIdOf } from '../lib/id-times.ts';
import { createPace } from '../lib/pace.ts';
import { createStepRows } from '../lib/step-rows.ts';
import { startSteps } from '../lib/steps.ts';
import { findTierOfChain, listChains, listLinksAfter, listOldestLinks, trimChain } from './chain-store.ts';
import { announceTrims, findAnnouncedCutoff } from './retention-notices.ts';

/** Of a transaction. */
const DELETED = { min: 20, max: 200 };
const MAX_ROWS = 200_000;
const LINKS = { min: 100, max: 1_600 };
const HEADS_PER_LINE = 50;
const NAME = 'audit-retention';

/**
 * Logs the heads of the chains, so that missing events are noticed, announces upcoming deletions
 * and deletes announced events. After a clock jump it only logs.
 */
export const auditRetentionSweep: Sweep = {
  name: NAME,
  schedule: '23 3 * * *',
  async run(ctx) {
    await logHeads(ctx);
    if (ctx.clockGuard.observe() !== undefined) return 0;
    await announceTrims(ctx, (chain) => daysOf(ctx, chain));
    return trimTrails(ctx);
  },
};

async function trimTrails(ctx: Context): Promise<number> {
  // Run by a command, it has the database's lock at most half of the time, so that the server gets it.
  const pace = createPace(0.5);
  const step = startSteps();
  const steps = createStepRows(DELETED);
  let removed = 0;
  for (const chain of listChains(ctx)) {
    // Each person has a chain, and nothing is deleted from most of them.
    await step();
    for (let isMore = cutoffOf(ctx, chain) !== undefined; isMore; await pace.rest()) {
      await yieldToOthers();
      steps.take((rows) => {
        const count = ctx.transact((tx) => trimBatch(tx, chain, rows), { bookkeeping: true });
        isMore = count === rows;
        removed += count;
      });
      if (removed >= MAX_ROWS) return removed;
    }
  }
  return removed;
}

/** Returns the time before which events are deleted, or undefined. */
function cutoffOf(ctx: Context, chain: string): number | undefined {
  const days = daysOf(ctx, chain);
  const announced = findAnnouncedCutoff(ctx, chain);
  if (days === undefined || announced === undefined) return undefined;
  return Math.min(announced, ctx.clock.time() - days * DAY);
}

/**
 * Returns how long events are kept, or undefined if forever. Personal logs, the service's own and those of deleted
 * organizations have no plan, so the plan of new organizations applies.
 */
function daysOf(ctx: Context, chain: string): number | undefined {
  const { plans } = ctx.config;
  const days = plans[findTierOfChain(ctx, chain) ?? plans.default_tier].audit_retention_days;
  return days === 0 ? undefined : days;
}

/** Deletes from the old end only, up to the first event to keep. The plan may have changed since the last batch. */
function trimBatch(tx: Tx, chain: string, rows: number): number {
  const cutoff = cutoffOf(tx, chain);
  if (cutoff === undefined) return 0;
  const oldest = listOldestLinks(tx, chain, rows);
  const kept = oldest.findIndex(({ timestamp }) => timestamp >= cutoff);
  const old = kept < 0 ? oldest : oldest.slice(0, kept);
  const last = old.at(-1);
  if (last === undefined) return 0;
  const point = { chain, sequence: last.sequence, hash: last.hash, trimmedAt: tx.now };
  trimChain(tx, { ...point, seal: sealCheckpoint(tx.secrets.keyring, point) });
  return old.length;
}

/**
 * Writes the heads of the chains that have grown since the last run to the log, which is stored separately from the
 * database.
 */
async function logHeads(ctx: Context): Promise<void> {
  const before = ctx.db.select().from(sweepRuns).where(eq(sweepRuns.name, NAME)).get();
  const since = Math.max(0, (before?.startedAt ?? ctx.clock.time() - DAY) - DAY);
  const heads = new Map<string, string>();
  const steps = createStepRows(LINKS);
  let after = firstIdOf(since);
  for (let isMore = true; isMore; await yieldToOthers()) {
    steps.take((rows) => {
      const links = listLinksAfter(ctx, after, rows);
      // Rows are in the order of writing, so later links replace earlier ones.
      for (const { chain, sequence, hash } of links) heads.set(chain, `${chain}:${sequence}:${hash}`);
      after = links.at(-1)?.id ?? after;
      isMore = links.length === rows;
    });
  }
  const lines = [...heads.values()];
  for (let from = 0; from < lines.length; from += HEADS_PER_LINE) {
    ctx.log.info({ audit_heads: lines.slice(from, from + HEADS_PER_LINE) }, 'audit chain heads');
  }
}
