// Cleanup for installs: expired tokens, inactive installs, and rows of deleted SDK apps and releases.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { findRelease } from '../releases/store.ts';
import { addToInstallCount, findSdkApp } from './app-store.ts';
import {
  deleteOldestInstalls,
  deleteReportsOf,
  deleteToken,
  deleteTokenlessInstall,
  listEndedTokens,
  nextAppWithInstalls,
  nextReportedRelease,
} from './install-store.ts';

/**
 * An install whose last token expired this long ago is deleted. Until then it stays listed and is recognized when it
 * returns.
 */
const DELETE_AFTER_MS = 60 * DAY;
/** Rows deleted in one transaction. */
const BATCH = 200;

/** Deletes up to `max` such rows at a time, in small transactions. Returns the number deleted. */
export async function deleteInactiveInstalls(ctx: Context, now: number, max: number): Promise<number> {
  let removed = 0;
  for (const work of [forgetTokens, forgetOrphans, forgetReports]) {
    for await (const count of work(ctx, now)) {
      removed += count;
      if (removed >= max) return removed;
    }
  }
  return removed;
}

async function* forgetTokens(ctx: Context, now: number): AsyncGenerator<number> {
  for (;;) {
    const ended = listEndedTokens(ctx, now - DELETE_AFTER_MS, BATCH);
    if (ended.length === 0) return;
    ctx.transact(
      (tx) => {
        for (const { tokenHash, installRowId } of ended) {
          deleteToken(tx, tokenHash);
          const sdkAppId = deleteTokenlessInstall(tx, installRowId);
          if (sdkAppId !== undefined) addToInstallCount(tx, sdkAppId, -1);
        }
      },
      { bookkeeping: true },
    );
    yield ended.length;
    await yieldToOthers();
  }
}

async function* forgetOrphans(ctx: Context): AsyncGenerator<number> {
  for (let id = nextAppWithInstalls(ctx, ''); id !== undefined; id = nextAppWithInstalls(ctx, id)) {
    const sdkAppId = id;
    await yieldToOthers();
    if (findSdkApp(ctx, sdkAppId) !== undefined) continue;
    yield* repeat(() => ctx.transact((tx) => deleteOldestInstalls(tx, sdkAppId, BATCH), { bookkeeping: true }));
  }
}

async function* forgetReports(ctx: Context): AsyncGenerator<number> {
  for (let id = nextReportedRelease(ctx, ''); id !== undefined; id = nextReportedRelease(ctx, id)) {
    const releaseId = id;
    await yieldToOthers();
    if (findRelease(ctx, releaseId) !== undefined) continue;
    yield* repeat(() => ctx.transact((tx) => deleteReportsOf(tx, releaseId, BATCH), { bookkeeping: true }));
  }
}

/** Repeats work until nothing is left. */
async function* repeat(work: () => number): AsyncGenerator<number> {
  for (let count = work(); count > 0; count = work()) {
    yield count;
    await yieldToOthers();
  }
}
