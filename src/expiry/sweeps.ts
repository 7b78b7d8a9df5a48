// The job that warns of expiring items.
import type { Sweep } from '../core/context.ts';
import { warnOfExpiry } from './warnings.ts';

export const expirySweep: Sweep = {
  name: 'expiry-warnings',
  schedule: '23 * * * *',
  run: warnOfExpiry,
};
