// The cleanup job that reads stored packages in the background, each about once a month, and damaged ones every hour.

import type { Context, Sweep } from '../core/context.ts';
import { StorageError } from '../core/storage.ts';
import { DAY, HOUR } from '../lib/clock.ts';
import { containerOf, type ObjectPlace } from '../lib/storage-backends.ts';
import { examineProblems } from '../storage/object-problems.ts';
import { verifyPackage } from './integrity.ts';
import { listProblems, listUnverified, postponeVerification } from './integrity-store.ts';
import { findBuild } from './store.ts';

const READ_AGAIN_AFTER_MS = 30 * DAY;
const PROBLEMS_AGAIN_AFTER_MS = HOUR;
/** 2 GiB in ten minutes are 8 TiB in a month. */
const BYTES_PER_RUN = 2 * 1024 ** 3;
const PACKAGES_PER_RUN = 1_000;
const PROBLEMS_PER_RUN = 100;
const PACKAGES_PER_STEP = 50;

/** Marks each package that was read, so that the next run continues from there. Returns the number of packages read. */
export const packageSweep: Sweep = {
  name: 'stored-packages',
  schedule: '*/10 * * * *',
  async run(ctx) {
    const startedAt = ctx.clock.time();
    const isOpen = () => ctx.db.$client.open;
    let packages = 0;
    let bytes = 0;
    const unavailable = new Set<ObjectPlace>();
    let failure: StorageError | undefined;

    /** One whose backend is unavailable counts as read at `postponedTo`. */
    async function read(ids: readonly string[], postponedTo: number): Promise<void> {
      for (const id of ids) {
        if (bytes >= BYTES_PER_RUN || !isOpen()) return;
        packages += 1;
        const key = findBuild(ctx, id)?.objectKey ?? '';
        try {
          if (!unavailable.has(ctx.storage.placeOf(key))) bytes += await verifyPackage(ctx, id);
          else postponeVerification(ctx, id, postponedTo);
        } catch (error) {
          // The packages in other backends are read nevertheless.
          if (!(error instanceof StorageError) || !(await ctx.storage.check()).ok) throw error;
          const place = ctx.storage.placeOf(key);
          if (place !== ctx.storage.backend) unavailable.add(place);
          // That of an organization is reported to its admins.
          if (containerOf(place) === undefined) failure ??= error;
          postponeVerification(ctx, id, postponedTo);
        }
      }
    }

    await read(listProblems(ctx, startedAt - PROBLEMS_AGAIN_AFTER_MS, PROBLEMS_PER_RUN), startedAt);
    while (isOpen() && bytes < BYTES_PER_RUN && packages < PACKAGES_PER_RUN) {
      const ids = listDue(ctx, startedAt);
      if (ids.length === 0) break;
      await read(ids, startedAt - READ_AGAIN_AFTER_MS + PROBLEMS_AGAIN_AFTER_MS);
    }
    packages += await examineProblems(ctx);
    if (failure !== undefined) throw failure;
    return packages;
  },
};

function listDue(ctx: Context, now: number): string[] {
  return listUnverified(ctx, now - READ_AGAIN_AFTER_MS, PACKAGES_PER_STEP);
}
