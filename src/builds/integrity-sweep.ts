// The cleanup job that reads stored packages in the background, each about once a month, and damaged ones every hour.

import type { Context, Sweep } from '../core/context.ts';
import { DAY, HOUR } from '../lib/clock.ts';
import { containerOf } from '../lib/storage-backends.ts';
import { verifyPackage } from './integrity.ts';
import { listProblems, listUnverified } from './integrity-store.ts';
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
    const startedAt = ctx.clock.now().getTime();
    const isOpen = () => ctx.db.$client.open;
    let packages = 0;
    let bytes = 0;

    async function read(ids: readonly string[]): Promise<void> {
      for (const id of ids) {
        if (bytes >= BYTES_PER_RUN || !isOpen()) return;
        bytes += await verify(ctx, id);
        packages += 1;
      }
    }

    await read(listProblems(ctx, startedAt - PROBLEMS_AGAIN_AFTER_MS, PROBLEMS_PER_RUN));
    while (isOpen() && bytes < BYTES_PER_RUN && packages < PACKAGES_PER_RUN) {
      const ids = listDue(ctx, startedAt);
      if (ids.length === 0) break;
      await read(ids);
    }
    return packages;
  },
};

/** A container that fails is left alone from then on, and doesn't keep others from being read. */
async function verify(ctx: Context, id: string): Promise<number> {
  try {
    return await verifyPackage(ctx, id);
  } catch (error) {
    const key = findBuild(ctx, id)?.objectKey;
    if (key === undefined || containerOf(ctx.storage.placeOf(key)) === undefined) throw error;
    ctx.log.warn({ build: id, err: error }, "a package in an organization's container was not read");
    return 0;
  }
}

function listDue(ctx: Context, now: number): string[] {
  return listUnverified(ctx, now - READ_AGAIN_AFTER_MS, PACKAGES_PER_STEP);
}
