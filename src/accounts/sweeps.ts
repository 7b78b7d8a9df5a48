// The cleanup job of accounts scheduled for deletion.
import type { Sweep } from '../core/context.ts';
import { deleteDueAccounts } from './deletion.ts';

export const deletionSweep: Sweep = {
  name: 'account-deletions',
  deletesByAge: true,
  schedule: '42 * * * *',
  run: deleteDueAccounts,
};
