// The sweep that renews the server's certificate and forgets those that have ended.
import { deleteEndedCertificates } from '../certificates/store.ts';
import type { Sweep } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';

const KEPT_AFTER_END_MS = 30 * DAY;

/** Renewing needs the listener, so that outside of a server only the clean-up happens. */
export const certificateSweep: Sweep = {
  name: 'certificates',
  schedule: '*/5 * * * *',
  async run(ctx) {
    await ctx.https?.renew();
    return deleteEndedCertificates(ctx, ctx.clock.now().getTime() - KEPT_AFTER_END_MS);
  },
};
