// Whose an address is when access is given to it.

import type { App } from '../core/context.ts';
import { type DeveloperRow, findDeveloperByEmail, isAbandoned } from '../developers/store.ts';

/**
 * The account that holds an address, verified or not (specification part 3, Org or project tester grant). One that waits to
 * be deleted and never proved the address holds nothing: access given now is for whoever proves it.
 */
export function findAccountByEmail(app: Pick<App, 'db'>, email: string): DeveloperRow | undefined {
  const developer = findDeveloperByEmail(app, email);
  return developer === undefined || isAbandoned(developer) ? undefined : developer;
}
