// Actions that wait for an email address to be verified, such as pending grants.
import type { Tx } from '../core/context.ts';
import type { DeveloperRow } from '../developers/store.ts';
import { attachPendingGrants } from '../testers/pending-access.ts';

/** Called in the transaction that verified the address of `developer`, also for a changed address. */
type AddressHook = (tx: Tx, developer: DeveloperRow) => void;

/** Returns all hooks, in order. It is a function because the modules import each other and may not be loaded yet. */
function addressHooks(): readonly AddressHook[] {
  return [attachPendingGrants];
}

/** Runs all hooks for a verified address. */
export function onAddressVerified(tx: Tx, developer: DeveloperRow): void {
  for (const hook of addressHooks()) hook(tx, developer);
}
