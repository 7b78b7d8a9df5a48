// The sweep that renews the server's certificate and deletes expired ones.
import { deleteEndedCertificates } from '../certificates/store.ts';
import type { Sweep } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';

const KEPT_AFTER_END_MS = 30 * DAY;

/** Renewal needs the listener, so outside of a server only the cleanup runs. */
export const certificateSweep: Sweep = {
  name: 'certificates',
  schedule: '*/5 * * * *',
  async run(ctx) {
    await ctx.https?.renew();
    return deleteEndedCertificates(ctx, ctx.clock.time() - KEPT_AFTER_END_MS);
  },
};
