// What waits for an address to be verified, in one place: pending grants and the like attach here.
import type { Tx } from '../core/context.ts';
import type { DeveloperRow } from '../developers/store.ts';
import { attachPendingGrants } from '../testers/pending-access.ts';

/** Called in the transaction that verified the address of `developer`, also when it is a new address of the account. */
export type AddressHook = (tx: Tx, developer: DeveloperRow) => void;

/** Every hook, in order. A function, so that modules which import each other are complete before it is asked. */
function addressHooks(): readonly AddressHook[] {
  return [attachPendingGrants];
}

/** Lets everything that waited for this verified address have it. */
export function onAddressVerified(tx: Tx, developer: DeveloperRow): void {
  for (const hook of addressHooks()) hook(tx, developer);
}
