// The account of an address when access is granted to it.

import type { App } from '../core/context.ts';
import { type DeveloperRow, findDeveloperByEmail, isAbandoned } from '../developers/store.ts';

/**
 * Returns the account of an address, verified or not (docs/specification/testers.md#tester-grants). An unverified
 * account scheduled for deletion doesn't count: the access is for the person who verifies the address.
 */
export function findAccountByEmail(app: Pick<App, 'db'>, email: string): DeveloperRow | undefined {
  const developer = findDeveloperByEmail(app, email);
  return developer === undefined || isAbandoned(developer) ? undefined : developer;
}
